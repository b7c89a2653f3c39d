#include "src/testing/request_intake.hpp"

#include "tests/unit/testing/small_world.hpp"

namespace zklock::testing {
namespace {

namespace request = client::request;
using namespace std::chrono_literals;

struct request_intake_of_one : public small_world {
  request_intake intake{w};
};

TEST_F(request_intake_of_one, takes_messages_while_server_and_way_are_open) {
  const auto h = connected();
  EXPECT_FALSE(can_serve(w, *h->at));
  client_library(w).ping(*h);
  EXPECT_TRUE(can_serve(w, *h->at));
  w.state_of(0).up_held = true;
  EXPECT_FALSE(can_serve(w, *h->at));
  w.state_of(0).up_held = false;
  w.servers[0].frozen = true;
  EXPECT_FALSE(can_serve(w, *h->at));
}

TEST_F(request_intake_of_one, grants_a_timeout_within_the_bounds) {
  w.with.session_timeout_max = 4s;
  const auto h = connected();
  EXPECT_EQ(told.timeout, 4s);
  EXPECT_EQ(w.sessions.find(h->session.id())->timeout, 4s);
}

TEST_F(request_intake_of_one, answers_a_ping_and_touches_the_session) {
  const auto h = connected();
  w.now = 2s;
  client_library(w).ping(*h);
  intake.serve(*h->at);
  EXPECT_EQ(h->at->down.at(0).what, downward::kind::pong);
  EXPECT_GT(w.sessions.find(h->session.id())->deadline, 8s);
}

TEST_F(request_intake_of_one, hangs_up_on_a_client_that_has_seen_more) {
  const auto h = open();
  h->session.see(w.log.last_zxid() + 1);
  link& l = *client_library(w).connect(*h);
  intake.serve(l);
  EXPECT_FALSE(l.server_open);
}

TEST_F(request_intake_of_one, drops_an_older_connection_of_the_same_session) {
  const auto h = connected();
  link& older = *h->at;
  client_library(w).lose(*h, client::code::connection_loss);
  link& newer = *client_library(w).connect(*h);
  EXPECT_TRUE(older.server_open);
  intake.serve(newer);
  EXPECT_FALSE(older.server_open);
  EXPECT_EQ(newer.down.at(0).what, downward::kind::connected);
}

TEST_F(request_intake_of_one, refuses_an_identity_that_is_no_digest) {
  const auto h = client_library(w).open(0, 0, false, {.timeout = 6s, .auth_scheme = "sasl"}, told);
  client_library(w).connect(*h);
  serve_all();
  deliver_all(h);
  serve_all();
  deliver_all(h);
  EXPECT_EQ(told.take(), (lines{"connected", "auth failed"}));
}

TEST_F(request_intake_of_one, hangs_up_on_a_packet_that_is_too_long) {
  const auto h = connected();
  upward long_one(upward::kind::request);  // the client's own check would refuse it
  long_one.request = request::set{"/a", std::string(0xfffff, 'x')};
  h->at->up.push_back(std::move(long_one));
  intake.serve(*h->at);
  EXPECT_FALSE(h->at->server_open);
}

TEST_F(request_intake_of_one, loses_a_request_before_or_after_it_is_executed) {
  const auto h = connected();
  w.state_of(0).lose_next_request = true;
  ask(*h, 1, request::create{"/a"});
  intake.serve(*h->at);
  EXPECT_EQ(h->at, nullptr);
  EXPECT_EQ(w.servers.nodes().find("/a"), nullptr);
  const auto other = connected();
  w.state_of(0).lose_next_reply = true;
  ask(*other, 2, request::create{"/a"});
  intake.serve(*other->at);
  EXPECT_EQ(other->at, nullptr);
  EXPECT_NE(w.servers.nodes().find("/a"), nullptr);
}

TEST_F(request_intake_of_one, serves_up_to_and_with_the_next_request) {
  const auto h = connected();
  client_library(w).ping(*h);
  ask(*h, 1, request::exists{"/a"});
  ask(*h, 2, request::exists{"/a"});
  intake.serve_through_request(*h->at);
  EXPECT_EQ(h->at->up.size(), 1U);
  EXPECT_EQ(h->at->down.size(), 2U);
}

}  // namespace
}  // namespace zklock::testing
