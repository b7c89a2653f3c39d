#include "recipes/names_view.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "recipes/node_name.hpp"

namespace zklock::recipes {
namespace {

using namespace std::string_view_literals;

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

TEST(numbered_name, knows_its_prefix_from_the_start_and_the_rest_while_it_is_known) {
  numbered_name own = numbered_name::with_prefix("a-lock-");
  EXPECT_TRUE(own.empty());
  EXPECT_EQ(own.prefix(), "a-lock-");
  own.assign("a-lock-0000000004");
  EXPECT_FALSE(own.empty());
  EXPECT_EQ(own, "a-lock-0000000004");
  EXPECT_EQ(own.prefix(), "a-lock-");
  own.clear();
  EXPECT_TRUE(own.empty());
  EXPECT_EQ(own.prefix(), "a-lock-");
  EXPECT_EQ(own, numbered_name::with_prefix("a-lock-")) << "whatever it was before";
}

TEST(numbered_name, is_another_one_with_another_prefix_or_number) {
  const auto named = [](std::string_view prefix, std::string_view whole) {
    numbered_name one = numbered_name::with_prefix(prefix);
    one.assign(whole);
    return one;
  };
  EXPECT_EQ(named("a-", "a-1"), named("a-", "a-1"));
  EXPECT_FALSE(named("a-", "a-1") == named("a-", "a-2"));
  EXPECT_FALSE(named("a-", "a-1") == named("a", "a-1"));
  EXPECT_FALSE(numbered_name::with_prefix("a-") == numbered_name::with_prefix("b-"));
}

TEST(numbered_name, has_room_for_61_characters_and_no_more) {
  const std::string longest(numbered_name::size_max, 'x');
  EXPECT_EQ(numbered_name(longest), longest);
  EXPECT_EQ(longest.size(), 61U);
  EXPECT_THROW(numbered_name(longest + 'x'), std::length_error);
}

TEST(heap_text, is_a_copy_of_its_own) {
  heap_text one(std::string(100, 'x'));
  const heap_text copied = one;
  one = heap_text("y"sv);
  EXPECT_EQ(copied, std::string(100, 'x'));
  EXPECT_EQ(one, "y");
  one = copied;
  const heap_text& same = one;
  one = same;
  EXPECT_EQ(one, copied);
  one = std::string_view(one).substr(90);  // of its own text
  EXPECT_EQ(one, std::string(10, 'x'));
}

TEST(heap_text, is_empty_without_a_text) {
  heap_text none;
  EXPECT_TRUE(none.empty() && none == "" && heap_text(""sv).empty());
  none = "x"sv;
  EXPECT_FALSE(none.empty());
  none.clear();
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(sizeof(heap_text), sizeof(void*));
}

}  // namespace
}  // namespace zklock::recipes
