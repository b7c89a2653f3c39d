import unittest

from driver.page import replace
from driver.processor_time import foreign_share
from driver.schedule import Results
from driver.tables import all_tables
from driver.workloads import WORKLOADS
from pictures import performance


class PageTest(unittest.TestCase):
    def test_only_what_is_between_the_markers_changes(self):
        page = "a\n<!-- bench: begin x -->\nold\n<!-- bench: end x -->\nb\n"
        changed = "a\n<!-- bench: begin x -->\nnew \\1\n<!-- bench: end x -->\nb\n"
        self.assertEqual(replace(page, "x", "new \\1"), changed)

    def test_a_page_without_the_markers_is_refused(self):
        with self.assertRaises(ValueError):
            replace("a\n", "x", "new")


SAMPLE = {"ops": 100, "seconds": 0.1, "cpu": 0.01, "server_cpu": 0.02, "voluntary": 1, "involuntary": 1, "tries": 1,
          "disturbed": False}


class PlotsTest(unittest.TestCase):
    @staticmethod
    def drawn(*measured):
        results = Results()
        for workload, peer in measured:
            results.add(workload, peer, 1, SAMPLE)
        chosen = [one for one in WORKLOADS if one.name in results.samples]
        named = {name: text for name, _title, text in all_tables(results, chosen)}
        return performance.pictures(performance.tables_of_markdown(named))

    def test_they_show_what_was_measured(self):
        plots = self.drawn(("mutex", "zklock"), ("mutex", "curator"), ("sessions_8", "zklock"))
        self.assertEqual(sorted(plots), ["processor_time.dark.svg", "processor_time.svg", "ratios.dark.svg", "ratios.svg"])
        self.assertIn(">mutex cycle</text>", plots["ratios.svg"])
        self.assertNotIn(">8 contending sessions</text>", plots["ratios.svg"])

    def test_without_a_peer_there_are_no_ratios(self):
        self.assertEqual(self.drawn(("multi", "zklock")), {})


class ForeignShareTest(unittest.TestCase):
    def test_what_client_and_server_took_is_not_foreign(self):
        self.assertEqual(foreign_share(1, 1.5, 1.5), 0)

    def test_it_is_a_part_of_the_whole_machine(self):
        self.assertGreater(foreign_share(1, 1e6, 0), 1e5 / 1024)


if __name__ == "__main__":
    unittest.main()
