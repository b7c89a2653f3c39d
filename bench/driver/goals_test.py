import unittest

from driver.goals import CPU, DRAIN, Goal, reached
from driver.schedule import Results


def results_of(**peers):
    """peers: of workload__peer, the samples of repetitions 1, 2, ..."""
    results = Results()
    for name, samples in peers.items():
        workload, peer = name.split("__")
        for repetition, sample in enumerate(samples, 1):
            results.add(workload, peer, repetition, sample)
    return results


def rate(per_second):
    return {"ops": per_second, "seconds": 1}


class GoalsTest(unittest.TestCase):
    def test_a_rate_is_reached_from_its_limit_on(self):
        results = results_of(mutex__zklock=[rate(30), rate(40), rate(60)],
                             mutex__curator=[rate(10), rate(20), rate(20)])
        spread, done = reached(Goal("", "mutex", "curator", 3), results)
        self.assertEqual((spread.middle, spread.least, spread.greatest, done), (3, 2, 3, True))
        self.assertFalse(reached(Goal("", "mutex", "curator", 3.01), results)[1])

    def test_a_latency_is_reached_up_to_its_limit(self):
        results = results_of(awaited__zklock=[{"p50": 2}], awaited__floor=[{"p50": 1}])
        self.assertTrue(reached(Goal("", "awaited", "floor", 2, at_most=True), results)[1])
        self.assertFalse(reached(Goal("", "awaited", "floor", 1.9, at_most=True), results)[1])

    def test_a_time_of_which_a_speed_is_wanted_counts_inversely(self):
        results = results_of(queue_1000_of_1__zklock=[{"ops": 1000, "seconds": 1}],
                             queue_1000_of_1__curator=[{"ops": 1000, "seconds": 4}])
        self.assertAlmostEqual(reached(Goal("", "queue_1000_of_1", "curator", 4), results)[0].middle, 4)

    def test_client_cpu_is_that_of_one_operation(self):
        results = results_of(mutex__zklock=[{"ops": 10, "seconds": 1, "cpu": 1}],
                             mutex__curator=[{"ops": 100, "seconds": 1, "cpu": 20}])
        self.assertAlmostEqual(reached(Goal("", "mutex", "curator", 1, CPU, at_most=True), results)[0].middle, 0.5)

    def test_drains_of_two_lengths_are_compared_by_the_waiter(self):
        results = results_of(queue_4000_of_1__zklock=[{"ops": 4000, "drain_seconds": 8}],
                             queue_100_of_1__zklock=[{"ops": 100, "drain_seconds": 0.1}])
        goal = Goal("", "queue_4000_of_1", "zklock", 1.3, DRAIN, at_most=True, other_workload="queue_100_of_1")
        spread, done = reached(goal, results)
        self.assertAlmostEqual(spread.middle, 2)
        self.assertFalse(done)

    def test_what_was_not_measured_has_no_verdict(self):
        self.assertEqual(reached(Goal("", "mutex", "curator", 1), Results()), (None, None))


if __name__ == "__main__":
    unittest.main()
