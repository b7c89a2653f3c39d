#include <gtest/gtest.h>

#include <zklock/mutex.hpp>
#include <zklock/semaphore.hpp>
#include <zklock/testing/fake_ensemble.hpp>

#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "src/errors/error_of.hpp"
#include "tests/support/error_from.hpp"
#include "tests/support/eventually.hpp"

/// Refusals name the value that they refuse, in letters that garble no terminal, and ZooKeeper's word for the cause.
namespace zklock::detail {
namespace {

using namespace std::chrono_literals;
using namespace std::string_view_literals;
using test_support::error_from;

template <class What>
void expect_refused(errc code, std::string_view named, What what) {
  const auto [ec, text] = error_from(what);
  EXPECT_EQ(ec, code) << named << ": " << ec.message();
  EXPECT_NE(text.find(named), std::string::npos) << text;
  for (const char letter : text) {
    EXPECT_GE(static_cast<unsigned char>(letter), 0x20) << text;
    EXPECT_NE(letter, '\x7F') << text;
  }
}

// ---- labels

TEST(refused_label, with_a_control_character_is_shown_printable) {
  testing::fake_ensemble zookeeper;
  session here(zookeeper.clients());
  for (const auto& [label, shown] :
       {std::pair{"two\nlines"sv, "\"two\\x0alines\""sv}, std::pair{"\x1B[31m"sv, "\"\\x1b[31m\""sv},
        std::pair{"end\0"sv, "\"end\\x00\""sv}, std::pair{"\x7F"sv, "\"\\x7f\""sv}}) {
    expect_refused(errc::invalid_option, shown,
                   [&, text = std::string(label)] { session one(zookeeper.clients(), {.label = text}); });
    expect_refused(errc::invalid_option, shown,
                   [&, text = std::string(label)] { recursive_mutex one(here, "/lock", {.label = text}); });
  }
}

TEST(refused_label, one_of_letters_beyond_ascii_is_none) {
  testing::fake_ensemble zookeeper;
  EXPECT_NO_THROW(session(zookeeper.clients(), {.label = "\u00e9t\u00e9 \u9501 ~"}));
}

// ---- which rule, and its bounds

TEST(refused_path, is_told_which_part_of_it_is_wrong) {
  testing::fake_ensemble zookeeper;
  session here(zookeeper.clients());
  for (const auto& [path, fault] :
       {std::pair{""sv, "it does not begin with '/'"sv},
        {"lock"sv, "it does not begin with '/'"sv},
        {"/"sv, "the root can be no lock node"sv},
        {"/a/"sv, "it ends in '/'"sv},
        {"//a"sv, "an empty part at byte 1 of 3"sv},
        {"/a//b"sv, "an empty part at byte 3 of 5"sv},
        {"/a/./b"sv, "the part \".\" at byte 3 of 6"sv},
        {"/ab/.."sv, "the part \"..\" at byte 4 of 6"sv},
        {"/a\x07"sv, "the character U+0007, which ZooKeeper does not allow, at byte 2 of 3"sv},
        {"/a\u00e9\U00010000"sv, "the character U+10000, which ZooKeeper does not allow, at byte 4 of 8"sv},
        {"/a/\U0001F512/b"sv, "the character U+1F512, which ZooKeeper does not allow, at byte 3 of 9"sv},
        {"/\U0010FFFF"sv, "the character U+10FFFF, which ZooKeeper does not allow, at byte 1 of 5"sv},
        {"/a\xff/b"sv, "no valid UTF-8 at byte 2 of 5"sv}}) {
    expect_refused(errc::invalid_path, fault, [&, at = path] { recursive_mutex one(here, at); });
  }
}

TEST(refused_option, is_told_its_bounds) {
  testing::fake_ensemble zookeeper;
  session here(zookeeper.clients());
  const auto refuses = [&](std::string_view named, session_options options) {
    expect_refused(errc::invalid_option, named, [&] { session one(zookeeper.clients(), options); });
  };
  refuses("timeout = 99 ms (100 ms to 3600000 ms)", {.timeout = 99ms});
  refuses("label = 257 bytes (at most 256)", {.label = std::string(257, 'x')});
  refuses("close_time_limit = -1 ms (0 to 31622400000 ms)", {.close_time_limit = -1ms});
  refuses("acl = no entries (at least one)", {.acl = {}});
  refuses("acl = scheme auth, as acl_creator() has it (needs session_options::auth)", {.acl = acl_creator()});
  expect_refused(errc::invalid_option, "try_time_limit = -1 ms (0 to 31622400000 ms)",
                 [&] { recursive_mutex one(here, "/lock", {.try_time_limit = -1ms}); });
  expect_refused(errc::invalid_option, "acl = scheme auth, as acl_creator() has it (needs session_options::auth)",
                 [&] { recursive_mutex one(here, "/lock", {.acl = acl_creator()}); });
  for (const auto& [turns, time, named] : {std::tuple{0U, 0ms, "hand_over.max_turns = 0 (1 to 1024)"sv},
                                           {1025U, 0ms, "hand_over.max_turns = 1025 (1 to 1024)"sv},
                                           {1U, -1ms, "hand_over.max_time = -1 ms (0 to 3600000 ms)"sv},
                                           {1U, 3'600'001ms, "hand_over.max_time = 3600001 ms (0 to 3600000 ms)"sv}}) {
    const local_handover options{turns, time};
    expect_refused(errc::invalid_option, named, [&] { recursive_mutex one(here, "/lock", {.hand_over = options}); });
  }
  for (const auto& [value, named] : {std::pair{std::int64_t{0}, "permit_limit = 0 (1 to 1000000)"sv},
                                     {std::int64_t{-1}, "permit_limit = -1 (1 to 1000000)"sv},
                                     {std::int64_t{1} << 40, "permit_limit = 1099511627776 (1 to 1000000)"sv}}) {
    expect_refused(errc::invalid_option, named, [&, limit = value] { semaphore one(here, "/pool", limit); });
  }
}

// ---- chroots

TEST(refused_chroot, with_a_control_character_is_shown_printable) {
  expect_refused(errc::invalid_server_list, "127.0.0.1:1/a\\x0ab", [] { session one("127.0.0.1:1/a\nb"); });
  expect_refused(errc::invalid_server_list, "127.0.0.1:1/a\\x7f", [] { session one("127.0.0.1:1/a\x7F"); });
  expect_refused(errc::invalid_server_list, "127.0.0.1:1/\\x00", [] { session one("127.0.0.1:1/\0"sv); });
}

TEST(refused_chroot, with_an_empty_or_relative_part_is_named) {
  for (const std::string_view list :
       {"127.0.0.1:1/./a"sv, "127.0.0.1:1/a/."sv, "127.0.0.1:1/.."sv, "127.0.0.1:1/a/../b"sv, "127.0.0.1:1/a//b"sv}) {
    expect_refused(errc::invalid_server_list, list, [list] { session one(list); });
  }
}

// ---- no server

TEST(no_connection, is_told_with_what_the_last_attempt_has_met) {
  session here("127.0.0.1:1");
  recursive_mutex lock(here, "/lock");
  EXPECT_TRUE(test_support::eventually([&] { return !here.last_connection_failure().empty(); }));
  expect_refused(errc::not_connected, "127.0.0.1:1: Connection refused",
                 [&] { static_cast<void>(lock.try_acquire_for(10ms)); });
}

// ---- ZooKeeper's own word

TEST(thrown_error, names_zookeepers_answer_where_there_was_one) {
  const error refused = error_with(errc::permission_denied, recipes::code::no_auth, "acquire", "/lock");
  EXPECT_EQ(refused.code(), errc::permission_denied);
  EXPECT_EQ(refused.operation(), "acquire");
  EXPECT_NE(std::string_view(refused.what()).find("ZNOAUTH"), std::string_view::npos) << refused.what();
  const error odd = error_with(errc::server_error, recipes::code::marshalling_error, "release", "/lock");
  EXPECT_NE(std::string_view(odd.what()).find(recipes::name(recipes::code::marshalling_error)), std::string_view::npos);
  const error local = error_with(errc::server_error, recipes::code::ephemeral_on_local_session, "acquire", "/lock");
  EXPECT_NE(std::string_view(local.what()).find("ZEPHEMERALONLOCALSESSION: the servers keep sessions local"),
            std::string_view::npos)
      << local.what();
  const error nameless = error_with(errc::server_error, recipes::code{-130}, "acquire", "/lock");
  EXPECT_NE(std::string_view(nameless.what()).find("(code -130)"), std::string_view::npos) << nameless.what();
  const error own = error_with(errc::abandoned, recipes::code::ok, "acquire", "/lock");
  EXPECT_EQ(std::string_view(own.what()).find('('), std::string_view::npos) << own.what();
}

TEST(thrown_error, of_an_acquire_that_an_access_list_forbids_carries_znoauth) {
  testing::fake_ensemble zookeeper;
  session owners(zookeeper.clients(0), {.acl = acl_creator(), .auth = "owner:secret"});
  session strangers(zookeeper.clients(1));
  recursive_mutex own(owners, "/lock");
  recursive_mutex foreign(strangers, "/lock");
  const grant held = own.acquire();
  expect_refused(errc::permission_denied, "ZNOAUTH", [&] { static_cast<void>(foreign.acquire()); });
  expect_refused(errc::permission_denied, "ZNOAUTH", [&] { static_cast<void>(foreign.try_acquire_for(30s)); });
  expect_refused(errc::permission_denied, "ZNOAUTH", [&] { foreign.lock(); });
}

}  // namespace
}  // namespace zklock::detail
