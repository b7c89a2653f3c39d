import unittest

from driver.page import replace
from driver.processor_time import foreign_share


class PageTest(unittest.TestCase):
    def test_only_what_is_between_the_markers_changes(self):
        page = "a\n<!-- bench: begin x -->\nold\n<!-- bench: end x -->\nb\n"
        changed = "a\n<!-- bench: begin x -->\nnew \\1\n<!-- bench: end x -->\nb\n"
        self.assertEqual(replace(page, "x", "new \\1"), changed)

    def test_a_page_without_the_markers_is_refused(self):
        with self.assertRaises(ValueError):
            replace("a\n", "x", "new")


class ForeignShareTest(unittest.TestCase):
    def test_what_client_and_server_took_is_not_foreign(self):
        self.assertEqual(foreign_share(1, 1.5, 1.5), 0)

    def test_it_is_a_part_of_the_whole_machine(self):
        self.assertGreater(foreign_share(1, 1e6, 0), 1e5 / 1024)


if __name__ == "__main__":
    unittest.main()
