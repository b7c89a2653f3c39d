#include "src/zookeeper/pending_watches.hpp"

#include <gtest/gtest.h>

namespace zklock::client {
namespace {

using kind = connection::watch_kind;

TEST(pending_watches, a_watch_forgotten_while_its_request_is_under_way_comes_up_with_the_answer) {
  pending_watches book;
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

TEST(pending_watches, what_is_not_under_way_is_not_remembered) {
  pending_watches book;
  EXPECT_FALSE(book.forgotten_early(11, "/a", kind::data));
  book.asked(1, 11);
  EXPECT_FALSE(book.answered(1));
  EXPECT_FALSE(book.forgotten_early(11, "/a", kind::data));
}

TEST(pending_watches, that_a_watch_was_asked_for_is_known_when_it_is_gone) {
  pending_watches book;
  EXPECT_FALSE(book.any_ever());
  book.asked(1, 11);
  EXPECT_FALSE(book.answered(1));
  EXPECT_TRUE(book.any_ever());
}

}  // namespace
}  // namespace zklock::client
