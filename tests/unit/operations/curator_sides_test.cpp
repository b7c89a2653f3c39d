#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include <zklock/error.hpp>

#include "tests/unit/operations/curator_on_a_port.hpp"

/// The sides of a read/write lock in Curator's layout: their nodes, and what they wait for.
namespace zklock::detail {
namespace {

using namespace test_support::curator;  // NOLINT: the words of these tests
using test_support::scripted_port;
namespace request = client::request;

TEST(session_curator_sides, their_nodes_say_what_curators_do_and_guards_ask_for_existence) {
  for (const auto& [spec, marker] : {std::pair{reading, "__READ__"}, std::pair{writing, "__WRIT__"}}) {
    scripted_port port;
    port.connect();
    auto lock = port.acquire_as(spec, "/l");
    ASSERT_EQ(port.asked(), "create list");
    EXPECT_EQ(port.path_of(0), "/l/" + owner(1) + marker);
    EXPECT_EQ(port.request<request::create>(0).data, "127.0.0.1");
    port.answer_all();
    ASSERT_TRUE(lock->hold);
    std::vector<hold::guard> guards;
    lock->hold->add_guards(guards);
    ASSERT_EQ(guards.size(), 1U);
    EXPECT_EQ(guards[0].version, -1) << "a set, as of Curator's Revoker, does no harm";
  }
}

TEST(session_curator_sides, native_ones_on_their_path_are_wrong_both_ways_and_leave_no_node) {
  const std::string native = "/l/write-" + std::string(32, 'a') + "-0000000001";
  scripted_port port;
  port.others_create(native);
  port.connect();
  auto lock = port.acquire_as(writing, "/l");
  port.answer_all();
  EXPECT_EQ(lock->error, errc::wrong_recipe);
  expect_nothing_left(port);
  scripted_port reverse;
  reverse.others_create("/l/" + others_prefix(1) + "__READ__0000000001");
  reverse.connect();
  for (const recipes::acquire_spec& one :
       {recipes::acquire_spec{contender_kind::read}, recipes::acquire_spec{contender_kind::write},
        recipes::acquire_spec{contender_kind::mutex}, mutex}) {
    auto wrong = reverse.acquire_as(one, "/l");
    reverse.answer_all();
    EXPECT_EQ(wrong->error, errc::wrong_recipe);
    expect_nothing_left(reverse);
  }
}

/// A Java client since 5.5.0 makes the reader before it removes the writer.
TEST(session_curator_sides, f52_a_waiter_behind_a_writer_lists_again_whatever_goes) {
  const std::string their_writer = "/l/" + others_prefix(1) + "__WRIT__0000000001";
  const std::string their_reader = "/l/" + others_prefix(2) + "__READ__0000000001";
  scripted_port port;
  port.others_create(their_writer);
  port.connect();
  auto writes = port.acquire_as(writing, "/l");
  port.answer_all();
  port.others_create(their_reader);
  port.others_remove(their_writer);
  EXPECT_EQ(writes->answers, 0) << "the event alone is no grant";
  port.answer_all();
  EXPECT_EQ(writes->answers, 0);
  port.others_remove(their_reader);
  port.answer_all();
  EXPECT_TRUE(writes->hold);
}

TEST(session_curator_sides, data_of_a_writer_says_nothing) {
  scripted_port port;
  const std::string their_writer = "/l/" + others_prefix(1) + "__WRIT__0000000001";
  port.others_create(their_writer, "mode=read\n");
  port.connect();
  auto reads = port.acquire_as(reading, "/l");
  port.answer_all();
  EXPECT_EQ(reads->answers, 0);
  port.others_set(their_writer, "mode=read\n");
  port.answer_all();
  EXPECT_EQ(reads->answers, 0);
}

}  // namespace
}  // namespace zklock::detail
