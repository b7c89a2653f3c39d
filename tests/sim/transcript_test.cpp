// What makes a difference to a digest, and what does not.
#include "tests/sim/transcript.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>

#include <zklock/error.hpp>

#include "tests/sim/port_transcript.hpp"
#include "tests/sim/simulation.hpp"

namespace zklock::sim {
namespace {

namespace request = client::request;

constexpr const char* some_id = "0123456789abcdef0123456789abcdef";
constexpr const char* another_id = "fedcba9876543210fedcba9876543210";

/// Of what is noted of one connection.
std::uint64_t seen_of(const std::function<void(port_transcript&)>& happens) {
  transcript all;
  port_transcript port(all, 0, 0);
  happens(port);
  return all.value();
}

std::uint64_t seen_of_request(const client::any_request& what) {
  return seen_of([&](port_transcript& port) { port.requested(1, what); });
}

/// A create, a reading with a watch, their answers and the watch's event.
std::uint64_t seen_of_a_wait(const std::string& id, client::request_id first, client::watch_id watch) {
  return seen_of([&](port_transcript& port) {
    port.requested(first, request::create{"/l/" + id + "-lock-"});
    port.requested(first + 3, request::get{"/l/" + id + "-lock-0000000001", watch});
    client::reply created;
    created.name = "/l/" + id + "-lock-0000000002";
    port.answered(first, created);
    port.answered(first + 3, {});
    port.node_event(watch, client::node_event::deleted);
  });
}

std::uint64_t seen_in(scenario plays) {
  simulation world(plays);
  EXPECT_TRUE(world.run_to_end());
  return world.judges().seen().value();
}

scenario two_clients_that_take_turns() {
  scenario plays;
  plays.programs = {{{user_action::kind::acquire}, {user_action::kind::release}},
                    {{user_action::kind::acquire}, {user_action::kind::drop}}};
  return plays;
}

TEST(transcript, what_a_core_numbers_for_itself_makes_no_difference) {
  EXPECT_EQ(seen_of_a_wait(some_id, 1, 1), seen_of_a_wait(some_id, 70, 1));
  EXPECT_EQ(seen_of_a_wait(some_id, 1, 1), seen_of_a_wait(some_id, 1, 90));
  EXPECT_EQ(seen_of_a_wait(some_id, 1, 1), seen_of_a_wait(another_id, 1, 1));
}

TEST(transcript, which_contender_is_meant_makes_a_difference) {
  const auto removes = [](const char* whose) {
    return seen_of([whose](port_transcript& port) {
      port.requested(1, request::create{std::string("/l/") + some_id + "-lock-"});
      port.requested(2, request::create{std::string("/l/") + another_id + "-lock-"});
      port.requested(3, request::remove{std::string("/l/") + whose + "-lock-0000000001"});
    });
  };
  EXPECT_NE(removes(some_id), removes(another_id));
}

TEST(transcript, all_that_a_request_says_makes_a_difference) {
  const std::uint64_t create = seen_of_request(request::create{"/l/a", "data"});
  EXPECT_NE(create, seen_of_request(request::create{"/l/b", "data"}));
  EXPECT_NE(create, seen_of_request(request::create{"/l/a", "date"}));
  EXPECT_NE(create, seen_of_request(request::create{"/l/a", "data", client::create_mode::ephemeral}));
  EXPECT_NE(create, seen_of_request(request::create{"/l/a", "data", client::create_mode::persistent, {}}));
  EXPECT_NE(seen_of_request(request::get{"/l"}), seen_of_request(request::get{"/l", 1}));
  EXPECT_NE(seen_of_request(request::get{"/l"}), seen_of_request(request::exists{"/l"}));
  EXPECT_NE(seen_of_request(request::remove{"/l", 1}), seen_of_request(request::remove{"/l", 2}));
  EXPECT_NE(seen_of_request(request::multi{{request::check{"/l"}, request::remove{"/m"}}}),
            seen_of_request(request::multi{{request::remove{"/m"}, request::check{"/l"}}}));
}

TEST(transcript, the_order_of_requests_and_of_answers_makes_a_difference) {
  const auto asks_and_hears = [](const char* first, const char* second, client::request_id answered) {
    return seen_of([=](port_transcript& port) {
      port.requested(1, request::sync{first});
      port.requested(2, request::sync{second});
      port.answered(answered, {});
    });
  };
  EXPECT_NE(asks_and_hears("/a", "/b", 1), asks_and_hears("/b", "/a", 1));
  EXPECT_NE(asks_and_hears("/a", "/b", 1), asks_and_hears("/a", "/b", 2));
}

TEST(transcript, what_is_told_and_when_makes_a_difference) {
  const auto refused = [](std::error_code why, int client, std::uint64_t attempt, detail::instant when) {
    transcript all;
    all.time_is(when);
    all.note(transcript::entry::refused, client, attempt, why);
    return all.value();
  };
  using namespace std::chrono_literals;
  const std::uint64_t one = refused(errc::abandoned, 0, 1, 1ns);
  EXPECT_EQ(one, refused(errc::abandoned, 0, 1, 1ns));
  EXPECT_NE(one, refused(errc::lost, 0, 1, 1ns));
  EXPECT_NE(one, refused(errc::abandoned, 1, 1, 1ns));
  EXPECT_NE(one, refused(errc::abandoned, 0, 2, 1ns));
  EXPECT_NE(one, refused(errc::abandoned, 0, 1, 2ns));
}

TEST(transcript, a_whole_run_is_seen_the_same_with_other_random_ids) {
  const scenario plays = two_clients_that_take_turns();
  scenario with_other_ids = plays;
  with_other_ids.salt = 4711;
  EXPECT_EQ(seen_in(plays), seen_in(plays));
  EXPECT_EQ(seen_in(plays), seen_in(with_other_ids));
}

TEST(transcript, a_whole_run_with_a_longer_session_timeout_is_seen_otherwise) {
  const scenario plays = two_clients_that_take_turns();
  scenario longer = plays;
  longer.session_timeout += std::chrono::milliseconds(1);
  EXPECT_NE(seen_in(plays), seen_in(longer));
}

}  // namespace
}  // namespace zklock::sim
