#include <gtest/gtest.h>

#include <zklock/mutex.hpp>
#include <zklock/testing/fake_ensemble.hpp>

#include <string>
#include <string_view>
#include <utility>

#include "src/errors/error_of.hpp"
#include "tests/support/error_from.hpp"

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

// ---- ZooKeeper's own word

TEST(thrown_error, names_zookeepers_answer_where_there_was_one) {
  const error refused = error_with(errc::permission_denied, recipes::code::no_auth, "acquire", "/lock");
  EXPECT_EQ(refused.code(), errc::permission_denied);
  EXPECT_EQ(refused.operation(), "acquire");
  EXPECT_NE(std::string_view(refused.what()).find("ZNOAUTH"), std::string_view::npos) << refused.what();
  const error odd = error_with(errc::server_error, recipes::code::marshalling_error, "release", "/lock");
  EXPECT_NE(std::string_view(odd.what()).find(recipes::name(recipes::code::marshalling_error)), std::string_view::npos);
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
