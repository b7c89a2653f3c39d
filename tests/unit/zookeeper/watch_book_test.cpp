#include "src/zookeeper/watch_book.hpp"

#include <gtest/gtest.h>

namespace zklock::client {
namespace {

using kind = connection::watch_kind;

TEST(watch_book, a_watch_forgotten_while_its_request_is_under_way_comes_up_with_the_answer) {
  watch_book book;
  book.asked(1, 11);
  book.asked(2, 12);
  EXPECT_TRUE(book.forgotten_early(12, "/b", kind::children));
  EXPECT_FALSE(book.answered(1));
  const auto gone = book.answered(2);
  ASSERT_TRUE(gone);
  EXPECT_EQ(gone->first, 12U);
  EXPECT_EQ(gone->second.path, "/b");
  EXPECT_EQ(gone->second.kind, kind::children);
  EXPECT_FALSE(book.answered(2)) << "once";
}

TEST(watch_book, what_is_not_under_way_is_not_remembered) {
  watch_book book;
  EXPECT_FALSE(book.forgotten_early(11, "/a", kind::data));
  book.asked(1, 11);
  EXPECT_FALSE(book.answered(1));
  EXPECT_FALSE(book.forgotten_early(11, "/a", kind::data));
}

}  // namespace
}  // namespace zklock::client
