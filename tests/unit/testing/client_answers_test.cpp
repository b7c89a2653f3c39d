#include "src/testing/client_answers.hpp"

#include "tests/unit/testing/small_world.hpp"

namespace zklock::testing {
namespace {

namespace request = client::request;
using client::code;

struct server_with_a_client : public small_world {
  server_with_a_client() : h(connected()), l(*h->at) {}

  void stage(client::request_id id, client::any_request what, bool forwarded) {
    staged one;
    one.message = upward(upward::kind::request);
    one.message.id = id;
    one.message.request = std::move(what);
    one.forwarded = forwarded;
    l.stage.push_back(std::move(one));
  }

  const std::shared_ptr<handle> h;
  link& l;
  server& s = w.servers[0];
  client_answers answers{w};
};

TEST_F(server_with_a_client, answers_reads_behind_a_write_only_after_it) {
  stage(1, request::create{"/a"}, true);
  stage(2, request::exists{"/a"}, false);
  stage(3, request::create{"/b"}, true);
  answers.advance(s, l);
  EXPECT_TRUE(l.down.empty());
  answers.answer(s, l, {});
  ASSERT_EQ(l.down.size(), 2U);
  EXPECT_EQ(l.down[0].id, 1U);
  EXPECT_EQ(l.down[1].id, 2U);
  EXPECT_EQ(l.down[1].reply.code, code::no_node);
  EXPECT_EQ(l.stage.size(), 1U);
}

TEST_F(server_with_a_client, gives_the_answer_that_was_dictated) {
  stage(1, request::create{"/a"}, true);
  l.stage.back().answer = code::throttled;
  answers.answer(s, l, {});
  EXPECT_EQ(l.down.at(0).reply.code, code::throttled);
}

TEST_F(server_with_a_client, hangs_up_when_the_session_has_moved) {
  stage(1, request::create{"/a"}, true);
  client::reply moved;
  moved.code = code::session_moved;
  answers.answer(s, l, std::move(moved));
  EXPECT_FALSE(l.server_open);
  EXPECT_EQ(l.down.back().what, downward::kind::hangup);
}

TEST_F(server_with_a_client, fires_the_watches_of_an_entry_before_it_answers) {
  stage(1, request::exists{"/a", 5}, false);
  answers.advance(s, l);
  l.down.clear();
  stage(2, request::create{"/a"}, true);
  log_entry entry;
  entry.changes.push_back({change::kind::create, "/a", {}, {}, 0, false});
  entry.answers_link = l.number;
  answers.applied(s, entry);
  ASSERT_EQ(l.down.size(), 2U);
  EXPECT_EQ(l.down[0].what, downward::kind::event);
  EXPECT_EQ(l.down[0].event, client::node_event::created);
  EXPECT_EQ(l.down[1].id, 2U);
}

TEST_F(server_with_a_client, hangs_up_on_a_session_that_has_ended) {
  log_entry entry;
  entry.ends_session = l.session;
  answers.applied(s, entry);
  EXPECT_FALSE(l.server_open);
}

TEST_F(server_with_a_client, answers_the_newest_connection_of_a_session) {
  link& newer = *client_library(w).connect(*open());
  s.revalidating[7] = newer.number;
  answers.revalidated(s, 7, code::session_expired);
  EXPECT_EQ(newer.down.at(0).what, downward::kind::expired);
  EXPECT_FALSE(newer.server_open);
  EXPECT_TRUE(l.down.empty());
  answers.revalidated(s, 7, code::ok);
  EXPECT_EQ(newer.down.size(), 1U);
}

}  // namespace
}  // namespace zklock::testing
