// What the caller, or an operator, gets wrong: a clear error that names the value, and nothing left on the server.
#include <gtest/gtest.h>

#include <zklock/adopt.hpp>
#include <zklock/zklock.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "src/port/path.hpp"
#include "tests/integration/on_a_server.hpp"
#include "tests/support/error_from.hpp"

namespace zklock::test {
namespace {

using client::create_mode;
using test_support::error_from;

class bad_input : public on_a_server {
 protected:
  template <class What>
  static void expect_refused(errc code, std::string_view value, What what) {
    const auto [ec, text] = error_from(what);
    EXPECT_EQ(ec, code) << value << ": " << ec.message();
    EXPECT_NE(text.find(value), std::string::npos) << "\"" << text << "\" should name \"" << value << "\"";
  }
};

TEST_F(bad_input, a_bad_path_is_refused_before_a_request_is_sent) {
  proxy& way = new_proxy();
  session& one = open_through(way);
  ASSERT_TRUE(one.wait_connected_for(patience));
  std::atomic<int> requests = 0;
  const hooks counting(way, [&](const request_frame& asked) {
    requests += asked.opcode == opcode::ping ? 0 : 1;
    return verdict::pass;
  });
  for (const std::string path : {"", "/", "lock", "/a/", "/a//b", "/./a", "/a/..", "/a/../b", "//"}) {
    expect_refused(errc::invalid_path, "\"" + path + "\"", [&] { recursive_mutex lock(one, path); });
  }
  using namespace std::string_view_literals;
  for (const std::string_view path :
       {"/a\0b"sv, "/a\nb"sv, "/\x7F"sv, "/\xC3("sv, "/\xED\xA0\x80"sv, "/\xEF\xBF\xBF"sv}) {
    EXPECT_EQ(error_from([&] { recursive_mutex lock(one, path); }).first, errc::invalid_path);
  }
  expect_refused(errc::invalid_path, "/a\\x00b", [&] { recursive_mutex lock(one, "/a\0b"sv); });
  for (const char* path : {"/a", "/.a", "/a..b", "/...", "/\u00e9t\u00e9/\u9501", "/a b"}) {
    EXPECT_NO_THROW(recursive_mutex(one, path)) << path;
  }
  EXPECT_EQ(requests, 0);
}

// ---- characters

std::string in_utf8(std::uint32_t point) {
  const auto tail = [point](unsigned shift) { return static_cast<char>(0x80 | (point >> shift & 0x3F)); };
  if (point < 0x80) return {static_cast<char>(point)};
  if (point < 0x800) return {static_cast<char>(0xC0 | point >> 6), tail(0)};
  if (point < 0x10000) return {static_cast<char>(0xE0 | point >> 12), tail(6), tail(0)};
  return {static_cast<char>(0xF0 | point >> 18), tail(12), tail(6), tail(0)};
}

/// All of the basic plane, and the first and the last of each other one.
TEST_F(bad_input, f193_a_path_may_have_the_characters_that_the_server_takes_and_no_others) {
  constexpr std::size_t at_once = 1'000;
  server_.create(full("/there"));  // and its parents
  std::vector<std::uint32_t> points;
  for (std::uint32_t point = 0; point <= 0xFFFF; ++point) {
    if (point != '/') points.push_back(point);
  }
  for (std::uint32_t plane = 1; plane <= 16; ++plane) {
    points.insert(points.end(), {plane << 16, plane << 16 | 0xFFFF});
  }
  client::request::multi taken;
  const auto expect_taken = [&] {
    EXPECT_EQ(server_.ask(taken).code, client::code::ok)
        << std::get<client::request::create>(taken.operations.front()).path << " and those behind it";
    taken.operations.clear();
  };
  std::size_t refused = 0;
  for (const std::uint32_t point : points) {
    const std::string path = full("/a" + in_utf8(point) + "b");
    if (!detail::is_valid_path(path)) {
      ++refused;
      EXPECT_EQ(server_.ask(client::request::create{path}).code, client::code::bad_arguments) << point;
      continue;
    }
    taken.operations.emplace_back(client::request::create{path});
    taken.operations.emplace_back(client::request::remove{path});
    if (taken.operations.size() >= 2 * at_once) expect_taken();
  }
  expect_taken();
  EXPECT_EQ(refused, 32U + 33U + 0x2100U + 16U + 32U);  // controls, those from U+7F on, surrogates and private ones
  EXPECT_TRUE(server_.remove(full("/there")));
}

TEST_F(bad_input, f193_a_character_beyond_the_basic_plane_is_refused_everywhere_with_its_place) {
  session& one = open();
  constexpr std::string_view path = "/a/\U0001F512";
  constexpr std::string_view fault = "the character U+1F512, which ZooKeeper does not allow, at byte 3 of 7";
  expect_refused(errc::invalid_path, fault, [&] { recursive_mutex lock(one, path); });
  expect_refused(errc::invalid_path, fault, [&] { static_cast<void>(participants(one, path)); });
  expect_refused(errc::invalid_path, fault, [&] { static_cast<void>(locks_below(one, path)); });
  expect_refused(errc::invalid_path, fault, [&] { one.transaction().create(path).commit(); });
  expect_refused(errc::invalid_path, fault, [&] { one.transaction().set(path, "x").commit(); });
  expect_refused(errc::invalid_server_list, fault, [&] { session other("127.0.0.1" + std::string(path)); });
}

TEST_F(bad_input, bad_options_of_a_lock_are_refused) {
  session& one = open();
  const auto with = [&](lock_options options) {
    return [&one, options = std::move(options)] { recursive_mutex lock(one, "/lock", options); };
  };
  // F105: a line break would forge a line of the contender's data
  expect_refused(errc::invalid_option, "label", with({.label = "x\nmode=read"}));
  expect_refused(errc::invalid_option, "label", with({.label = std::string("x\0", 2)}));
  expect_refused(errc::invalid_option, "257", with({.label = std::string(257, 'x')}));
  expect_refused(errc::invalid_option, "try_time_limit = -1 ms", with({.try_time_limit = -1ms}));
  expect_refused(errc::invalid_option, "acl", with({.acl = acl{}}));
  expect_refused(errc::invalid_option, "acl", with({.acl = acl{{permission::all, "", "anyone"}}}));
  expect_refused(errc::invalid_option, "32", with({.acl = acl{{static_cast<permission>(32), "world", "anyone"}}}));
  EXPECT_NO_THROW(with({.label = std::string(256, 'x')})());
}

TEST_F(bad_input, bad_options_of_a_session_are_refused) {
  const auto with = [&](session_options options) {
    return [this, options = std::move(options)] { static_cast<void>(open(options)); };
  };
  expect_refused(errc::invalid_option, "timeout = 99 ms", with({.timeout = 99ms}));
  expect_refused(errc::invalid_option, "timeout = -1 ms", with({.timeout = -1ms}));
  expect_refused(errc::invalid_option, "timeout = 3600001 ms", with({.timeout = 3'600'001ms}));
  expect_refused(errc::invalid_option, "margin = 297 ms (0 to 296 ms with a timeout of 1000 ms and a tick of 500 ms)",
                 with({.timeout = 1s, .margin = 297ms}));
  EXPECT_NO_THROW(with({.timeout = 1s, .margin = 296ms})());
  expect_refused(errc::invalid_option, "margin = -1 ms", with({.margin = -1ms}));
  expect_refused(errc::invalid_option, "tick = 7000 ms (0 to", with({.tick = 7s}));
  expect_refused(errc::invalid_option, "tick = -1 ms", with({.tick = -1ms}));
  expect_refused(errc::invalid_option, "close_time_limit = -1 ms", with({.close_time_limit = -1ms}));
  expect_refused(errc::invalid_option, "label", with({.label = "two\nlines"}));
  expect_refused(errc::invalid_option, "acl", with({.acl = {}}));
  expect_refused(errc::invalid_option, "auth", with({.auth = "bob"}));
  const auto [ec, text] = error_from(with({.auth = "secret"}));
  EXPECT_EQ(text.find("secret"), std::string::npos) << "credentials do not belong in messages";
}

TEST_F(bad_input, a_bad_server_list_is_refused) {
  for (const char* list : {"", " ", "localhost:", "127.0.0.1:", ":2181", "127.0.0.1:0", "127.0.0.1:65536",
                           "127.0.0.1:x", ",", "127.0.0.1:2181,", "127.0.0.1:2181,,127.0.0.1:2182", "127.0.0.1:2181/a/",
                           "/app", "127.0.0.1:2181/a//b", "[::1", "127.0.0.1:2181/a/.."}) {
    expect_refused(errc::invalid_server_list, "\"" + std::string(list) + "\"", [&] { session one(list); });
  }
}

TEST_F(bad_input, f192_a_chroot_behind_each_host_is_refused_and_not_made) {
  const std::string port = ":" + std::to_string(port_) + full("/app");
  for (const std::string& list : {"127.0.0.1" + port + ",localhost" + port, "localhost" + port + ",127.0.0.1" + port}) {
    expect_refused(errc::invalid_server_list, "write the chroot once, behind the last host", [&] {
      session one(list);
      recursive_mutex(one, "/lock").acquire().release();
    });
  }
  EXPECT_TRUE(server_.children(full("")).empty());
}

TEST_F(bad_input, f75_a_host_without_an_address_is_an_error_that_names_it) {
  expect_refused(errc::unresolvable_host, "no-such-host.invalid:2181",
                 [] { session one("no-such-host.invalid:2181"); });
}

TEST_F(bad_input, a_null_handle_is_not_adopted) {
  expect_refused(errc::invalid_option, "null", [] { session one = adopt(nullptr); });
  session& own = open();
  expect_refused(errc::invalid_option, "not adopted",
                 [&] { readopt(own, reinterpret_cast<_zhandle*>(this)); });  // never looked into
}

TEST_F(bad_input, a_lock_node_that_is_ephemeral_is_unusable) {
  (void)server_.create(full("/lock"), create_mode::ephemeral);
  (void)server_.create(full("/parent"), create_mode::ephemeral);
  session& one = open();
  for (const char* path : {"/lock", "/parent/lock"}) {
    recursive_mutex lock(one, path);
    expect_refused(errc::lock_node_unusable, path, [&] { static_cast<void>(lock.acquire()); });
    expect_refused(errc::lock_node_unusable, path, [&] { static_cast<void>(lock.try_lock()); });
    std::error_code ec;
    EXPECT_FALSE(lock.try_acquire_for(patience, ec));
    EXPECT_EQ(ec, errc::lock_node_unusable);
  }
  EXPECT_TRUE(server_.remove(full("/lock")));
  EXPECT_TRUE(server_.remove(full("/parent")));
}

TEST_F(bad_input, a_contender_of_another_recipe_before_the_own_is_wrong_recipe) {
  session& one = open();
  for (const char* prefix : {"read-", "write-"}) {
    const std::string path = std::string("/") + prefix + "lock";
    const std::string other =
        server_.create(full(path) + "/" + prefix + std::string(32, 'a') + "-", create_mode::persistent_sequential);
    recursive_mutex lock(one, path);
    expect_refused(errc::wrong_recipe, path, [&] { static_cast<void>(lock.acquire()); });
    EXPECT_TRUE(eventually([&] { return server_.children(full(path)).size() == 1; })) << "the own one is removed";
    EXPECT_TRUE(server_.remove(other));
    EXPECT_TRUE(lock.try_acquire().held());
  }
}

// ---- access lists

client::acl only(int permissions) { return {{permissions, "world", "anyone"}}; }
constexpr int may_read = 1;
constexpr int may_create = 4;
constexpr int may_remove = 8;

TEST_F(bad_input, missing_permissions_are_an_error_that_names_the_path) {
  (void)server_.create(full("/no-create"), create_mode::persistent, only(may_read));
  (void)server_.create(full("/no-list"), create_mode::persistent, only(may_create | may_remove));
  session& one = open();
  for (const char* path : {"/no-create", "/no-list", "/no-create/below"}) {
    recursive_mutex lock(one, path);
    expect_refused(errc::permission_denied, path, [&] { static_cast<void>(lock.acquire()); });
    expect_refused(errc::permission_denied, path, [&] { lock.lock(); });
  }
  EXPECT_TRUE(eventually([&] { return server_.look(full("/no-list"))->child_count == 0; }));
  EXPECT_TRUE(server_.remove(full("/no-list")));
}

TEST_F(bad_input, a_chroot_in_which_nothing_may_be_created_is_named) {
  (void)server_.create(full("/closed"), create_mode::persistent, only(may_read));
  for (const std::string chroot : {"/closed", "/closed/new"}) {
    session there("127.0.0.1:" + std::to_string(port_) + full(chroot));
    recursive_mutex lock(there, "/lock");
    semaphore pool(there, "/pool", 3);
    const std::string named = "(ZNOAUTH, in the chroot " + full(chroot) + ")";
    expect_refused(errc::permission_denied, "acquire /lock " + named, [&] { static_cast<void>(lock.acquire()); });
    expect_refused(errc::permission_denied, "acquire /pool " + named, [&] { static_cast<void>(pool.acquire()); });
    expect_refused(errc::permission_denied, "/pool " + named, [&] { pool.set_permit_limit(4); });
    multi_lock both{lock, pool.permits(1)};
    expect_refused(errc::permission_denied, named, [&] { static_cast<void>(both.acquire()); });
    EXPECT_TRUE(lock.queue().empty());
    EXPECT_TRUE(participants(there, "/lock").empty());
    EXPECT_EQ(there.state(), session_state::connected);
  }
  EXPECT_TRUE(server_.children(full("/closed")).empty());
}

TEST_F(bad_input, a_removal_that_is_forbidden_is_told_and_the_node_stays_until_the_session_ends) {
  (void)server_.create(full("/no-remove"), create_mode::persistent, only(may_read | may_create));
  session& one = open();
  recursive_mutex lock(one, "/no-remove");
  grant held = lock.acquire();
  expect_refused(errc::permission_denied, "/no-remove", [&] { held.release(); });
  EXPECT_FALSE(held);
  EXPECT_EQ(contenders("/no-remove").size(), 1U);
  one.close();
  EXPECT_TRUE(eventually([&] { return contenders("/no-remove").empty(); }));
}

TEST_F(bad_input, a_predecessor_that_must_not_be_read_is_an_error) {
  (void)server_.create(full("/lock"));
  recursive_mutex holder(open({.acl = acl_creator(), .auth = credentials}), "/lock");
  recursive_mutex lock(open(), "/lock");
  const grant held = holder.acquire();
  expect_refused(errc::permission_denied, "/lock", [&] { static_cast<void>(lock.acquire()); });
  EXPECT_TRUE(eventually([&] { return contenders().size() == 1; }));
}

TEST_F(bad_input, an_access_list_for_the_creator_lets_its_credentials_contend_and_no_others) {
  const session_options ours{.acl = acl_creator(), .auth = credentials};
  recursive_mutex first(open(ours), "/lock");
  recursive_mutex second(open(ours), "/lock");
  recursive_mutex stranger(open(), "/lock");
  recursive_mutex impostor(open({.auth = "bob:guess"}), "/lock");
  grant held = first.acquire();
  auto waiting = queue_up(second, 2);
  expect_refused(errc::permission_denied, "/lock", [&] { static_cast<void>(stranger.acquire()); });
  expect_refused(errc::permission_denied, "/lock", [&] { static_cast<void>(impostor.acquire()); });
  inspector outsider("127.0.0.1:" + std::to_string(port_));
  EXPECT_EQ(outsider.ask(client::request::get{root_ + held.node()}).code, client::code::no_auth);
  EXPECT_EQ(outsider.ask(client::request::list{full("/lock")}).code, client::code::no_auth);
  held.release();
  EXPECT_TRUE(waiting.get().held());
}

TEST_F(bad_input, an_access_list_for_a_creator_without_credentials_is_refused_before_the_server) {
  constexpr const char* why = "as acl_creator() has it (needs session_options::auth)";
  session& one = open();
  expect_refused(errc::invalid_option, why, [&] { recursive_mutex(one, "/lock", {.acl = acl_creator()}); });
  expect_refused(errc::invalid_option, why, [&] { static_cast<void>(open({.acl = acl_creator()})); });
  EXPECT_FALSE(server_.look(root_));
}

// ---- fork()

TEST_F(bad_input, a_forked_childs_use_of_the_session_is_refused_and_the_parent_goes_on) {
  session& one = open();
  recursive_mutex lock(one, "/lock");
  recursive_mutex other(one, "/other");
  grant held = lock.acquire();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    int wrong = 0;
    std::error_code ec;
    wrong |= other.try_acquire_for(1s, ec) || ec != errc::forked ? 1 : 0;
    wrong |= other.try_acquire(ec) || ec != errc::forked ? 2 : 0;
    wrong |= held.held() || lock.held() ? 4 : 0;
    held.release(ec);
    wrong |= ec != errc::forked ? 8 : 0;
    one.close(ec);
    wrong |= ec != errc::forked ? 16 : 0;
    lock.unlock();
    _exit(wrong);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_TRUE(held.held());
  EXPECT_EQ(contenders().size(), 1U);
  EXPECT_TRUE(other.try_acquire().held());
  EXPECT_NO_THROW(held.release());
}

TEST_F(bad_input, what_a_forked_child_asks_an_election_or_a_value_throws_and_destructors_return) {
  session& one = open();
  auto candidate = std::make_unique<election>(one, "/lock", election_options{.data = "parent"});
  auto mine = std::make_unique<term>(candidate->campaign());
  auto observer = std::make_unique<election_observer>(one, "/lock", [](const leader_view&) {});
  auto value = std::make_unique<watched_value>(one, "/lock");
  auto told = std::make_unique<value_observer>(value->observe([](const value_view&) {}));
  ASSERT_TRUE(eventually([&] { return observer->current() && value->current(); }));
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const auto is_refused = [](auto what) { return error_from(what).first == errc::forked; };
    int wrong = 0;
    wrong |= is_refused([&] { candidate->run([](const term&, std::stop_token) {}); }) ? 0 : 1;
    wrong |= is_refused([&] { static_cast<void>(candidate->campaign(1s)); }) ? 0 : 2;
    wrong |= is_refused([&] { static_cast<void>(candidate->status()); }) ? 0 : 4;
    wrong |= is_refused([&] { mine->proclaim("child"); }) || mine->held() ? 0 : 8;
    wrong |= is_refused([&] { static_cast<void>(observer->current()); }) ? 0 : 16;
    wrong |= is_refused([&] { static_cast<void>(leader(one, "/lock")); }) ? 0 : 32;
    wrong |= is_refused([&] { election_observer(one, "/lock"); }) ? 0 : 64;
    wrong |= is_refused([&] { static_cast<void>(value->current()); }) ? 0 : 128;
    wrong |= is_refused([&] { static_cast<void>(one.get("/lock")); }) ? 0 : 128;
    told.reset();
    value.reset();
    observer.reset();
    mine.reset();
    candidate.reset();
    _exit(wrong);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_TRUE(mine->held());
  mine->proclaim("still the parent");
  EXPECT_TRUE(eventually([&] { return observer->current().data == "still the parent"; }));
  mine.reset();
  one.close();  // its watches go
}

TEST_F(bad_input, what_a_forked_child_asks_a_mutex_or_its_session_throws) {
  session& one = open();
  recursive_mutex lock(one, "/lock");
  lock.lock();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const auto is_refused = [](auto what) { return error_from(what).first == errc::forked; };
    int wrong = 0;
    wrong |= is_refused([&] { static_cast<void>(one.observe([](const session_change&) {})); }) ? 0 : 1;
    wrong |= is_refused([&] { static_cast<void>(one.observe(nullptr)); }) ? 0 : 2;
    wrong |= is_refused([&] { readopt(one, nullptr); }) ? 0 : 4;
    wrong |= is_refused([&] { static_cast<void>(lock.lost()); }) ? 0 : 8;
    wrong |= is_refused([&] { static_cast<void>(lock.token()); }) ? 0 : 16;
    _exit(wrong);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_FALSE(lock.lost().stop_requested());
  EXPECT_GT(lock.token().czxid, 0);
  lock.unlock();
}

}  // namespace
}  // namespace zklock::test
