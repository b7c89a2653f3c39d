#include "src/testing/client_library.hpp"

#include "tests/unit/testing/small_world.hpp"

namespace zklock::testing {
namespace {

namespace request = client::request;
using namespace std::chrono_literals;

struct client_library_of_one : public small_world {
  client_library library{w};
};

TEST_F(client_library_of_one, sends_what_was_queued_once_it_is_connected) {
  const auto h = open();
  ask(*h, 1, request::exists{"/a"});
  EXPECT_EQ(h->requests.queued_count(), 1U);
  link* l = library.connect(*h);
  ASSERT_NE(l, nullptr);
  EXPECT_EQ(l->up.front().what, upward::kind::connect);
  l->up.clear();
  l->session = 7;
  l->timeout = 4s;
  l->send_down(downward(downward::kind::connected));
  library.deliver(*l, 0);
  EXPECT_EQ(told.take(), lines{"connected"});
  EXPECT_EQ(told.session, 7);
  EXPECT_EQ(told.timeout, 4s);
  EXPECT_TRUE(l->has_request_under_way());
  EXPECT_EQ(w.find_state(0)->counts.total(), 1U);
}

TEST_F(client_library_of_one, asks_for_its_identity_and_its_watches_first_on_a_new_connection) {
  const auto h = library.open(0, 0, false, {.timeout = 6s, .auth_scheme = "digest", .auth_credentials = "u:p"}, told);
  h->watches.answered(client_watches::kind::data, "/a", 1, client::code::ok);
  h->session.see(9);
  ask(*h, 1, request::get{"/a"});
  link* l = library.connect(*h);
  l->up.clear();
  l->send_down(downward(downward::kind::connected));
  library.deliver(*l, 0);
  ASSERT_EQ(l->up.size(), 3U);
  EXPECT_EQ(l->up[0].what, upward::kind::auth);
  EXPECT_EQ(l->up[1].what, upward::kind::set_watches);
  EXPECT_EQ(l->up[1].watches->seen, 9);
  EXPECT_EQ(l->up[1].watches->data, std::vector<std::string>{"/a"});
  EXPECT_EQ(l->up[2].what, upward::kind::request);
}

TEST_F(client_library_of_one, f180_f181_sends_no_multi_between_two_connections_and_says_so) {
  const auto h = connected();
  library.lose(*h, client::code::connection_loss);
  deliver_all(h);
  EXPECT_EQ(told.take(), lines{"connecting"});
  ask(*h, 1, request::exists{"/a"});
  ask(*h, 2, request::multi{{request::check{"/a"}}});
  EXPECT_EQ(told.take(), lines{"reply 2 ZSYSTEMERROR"});
  EXPECT_EQ(h->requests.queued_count(), 1U);
}

TEST_F(client_library_of_one, keeps_a_multi_for_the_first_connection) {
  const auto h = open();
  ask(*h, 1, request::multi{{request::check{"/a"}}});
  EXPECT_EQ(h->requests.queued_count(), 1U);
}

TEST_F(client_library_of_one, fails_all_requests_when_the_connection_is_lost) {
  const auto h = connected();
  ask(*h, 1, request::get{"/a"});
  library.lose(*h, client::code::connection_loss);
  EXPECT_EQ(h->at, nullptr);
  EXPECT_EQ(h->state, handle_state::connecting);
  EXPECT_EQ(told.take(), lines{}) << "nothing is told from within";
  deliver_all(h);
  EXPECT_EQ(told.take(), (lines{"connecting", "reply 1 ZCONNECTIONLOSS"}));
}

TEST_F(client_library_of_one, refuses_requests_on_a_dead_handle_at_once) {
  const auto h = connected();
  h->at->send_down(downward(downward::kind::expired));
  library.deliver(*h->at, 0);
  ask(*h, 1, request::get{"/a"});
  EXPECT_EQ(told.take(), (lines{"expired", "reply 1 ZINVALIDSTATE"}));
}

TEST_F(client_library_of_one, delivers_no_event_for_a_watch_that_was_forgotten) {
  const auto h = connected();
  ask(*h, 1, request::exists{"/a", 5});
  serve_all();
  deliver_all(h);
  EXPECT_EQ(h->watches.count(), 1U);
  library.forget(*h, "/a", 5, client_watches::kind::exists);
  h->at->send_event("/a", client::node_event::created);
  deliver_all(h);
  EXPECT_EQ(told.take(), lines{"reply 1 ZNONODE"});
}

TEST_F(client_library_of_one, waits_for_the_answer_to_its_close) {
  const auto h = connected();
  library.close(*h);
  EXPECT_EQ(h->at->up.back().what, upward::kind::close);
  serve_all();
  deliver_all(h);
  EXPECT_EQ(told.take(), lines{"closed"});
  EXPECT_TRUE(w.handles.empty());
  EXPECT_TRUE(w.sessions.all().empty());
}

TEST_F(client_library_of_one, leaves_when_its_close_is_not_answered) {
  const auto h = connected();
  library.close(*h);
  library.time_out(*h);
  deliver_all(h);
  EXPECT_EQ(told.take(), lines{"left"});
  EXPECT_EQ(w.sessions.all().size(), 1U);
}

TEST_F(client_library_of_one, finds_no_server_where_it_is_refused_or_down) {
  const auto h = open();
  w.state_of(0).refused = true;
  EXPECT_EQ(library.connect(*h), nullptr);
  w.state_of(0).refused = false;
  w.servers[0].down = true;
  EXPECT_EQ(library.connect(*h), nullptr);
  EXPECT_TRUE(w.links.empty());
}

TEST_F(client_library_of_one, severs_both_ends_of_all_connections_of_a_server) {
  const auto h = connected();
  link& l = *h->at;
  ask(*h, 1, request::get{"/a"});
  library.sever_all(1);
  EXPECT_TRUE(l.client_open);
  library.sever_all(0);
  EXPECT_FALSE(l.client_open || l.server_open);
  EXPECT_TRUE(l.up.empty());
  EXPECT_EQ(h->at, nullptr);
  w.sweep();
  EXPECT_TRUE(w.links.empty());
}

}  // namespace
}  // namespace zklock::testing
