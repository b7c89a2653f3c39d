import unittest

from driver.spread import Spread, median, ratios


class SpreadTest(unittest.TestCase):
    def test_the_median_of_an_even_number_is_between_the_two_in_the_middle(self):
        self.assertEqual(median([4, 1, 3, 2]), 2.5)
        self.assertEqual(median([5, 1, 3]), 3)

    def test_a_ratio_is_of_two_values_of_the_same_repetition(self):
        self.assertEqual(ratios({1: 2, 2: 9, 3: 8}, {1: 1, 3: 2, 4: 5}), [2, 4])

    def test_the_median_of_ratios_is_not_the_ratio_of_medians(self):
        ours, theirs = {1: 10, 2: 20, 3: 30}, {1: 5, 2: 40, 3: 10}
        self.assertEqual(Spread.of(ratios(ours, theirs)), Spread(2, 0.5, 3))

    def test_nothing_measured_has_no_spread(self):
        self.assertIsNone(Spread.of(ratios({}, {1: 1})))


if __name__ == "__main__":
    unittest.main()
