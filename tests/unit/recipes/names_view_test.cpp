#include "recipes/names_view.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "recipes/node_name.hpp"

namespace zklock::recipes {
namespace {

using names = std::vector<std::string>;

names copied(const names_view& from) { return {from.begin(), from.end()}; }

TEST(names_view, shows_strings_and_the_c_clients_texts_alike) {
  const names strings{"a", "", "ccc"};
  const char* const texts[] = {"a", "", "ccc"};
  EXPECT_EQ(copied(strings), strings);
  EXPECT_EQ(copied({texts, 3}), strings);
  EXPECT_EQ(names_view(strings)[2], "ccc");
  EXPECT_EQ(names_view(texts, 3).size(), 3U);
  EXPECT_TRUE(names_view().empty() && names_view(texts, 0).empty() && names_view(names()).empty());
}

TEST(names_view, is_searched_by_its_iterators_which_outlive_it) {
  const names strings{"a", "b", "c"};
  const auto begin = names_view(strings).begin();
  const auto found = std::find(begin, names_view(strings).end(), "b");
  EXPECT_EQ(*found, "b");
  EXPECT_EQ(std::find(begin, names_view(strings).end(), "d"), names_view(strings).end());
}

TEST(node_name, has_room_for_63_characters_and_no_more) {
  const std::string longest(node_name::size_max, 'x');
  EXPECT_EQ(node_name(longest), longest);
  EXPECT_THROW(node_name(longest + 'x'), std::length_error);
  EXPECT_THROW((node_name{longest, "x"}), std::length_error);
  EXPECT_EQ((node_name{longest, ""}), longest);
}

TEST(node_name, is_one_of_several_texts_and_can_be_forgotten) {
  node_name name{"read-", "x", "-"};
  EXPECT_EQ(name, "read-x-");
  EXPECT_EQ(name, node_name({"read-", "x-"}));
  EXPECT_NE(name, "read-x");
  name.clear();
  EXPECT_TRUE(name.empty());
  EXPECT_EQ(name, node_name());
}

}  // namespace
}  // namespace zklock::recipes
