// All locks below a path, on a real server.
#include <gtest/gtest.h>

#include <zklock/zklock.hpp>

#include <algorithm>
#include <atomic>
#include <future>
#include <string>
#include <system_error>
#include <vector>

#include "tests/integration/on_a_server.hpp"

namespace zklock::test {
namespace {

namespace request = client::request;

class locks_on_a_server : public on_a_server {
 protected:
  static std::vector<std::string> paths_of(const std::vector<listed_lock>& locks) {
    std::vector<std::string> paths;
    for (const listed_lock& one : locks) {
      paths.push_back(one.path);
    }
    return paths;
  }
  [[nodiscard]] static lock_options in_curators() {
    return {.label = {}, .acl = {}, .try_time_limit = patience, .layout = layout::curator};
  }
  using names = std::vector<std::string>;
};

TEST_F(locks_on_a_server, are_found_in_both_layouts_and_those_that_are_hidden_are_named) {
  session& here = open();
  recursive_mutex mutex(here, "/app/orders");
  recursive_mutex waiter(open({.label = "second"}), "/app/orders");
  shared_mutex native(here, "/app/config/native");
  shared_mutex curators(here, "/app/config/curator", in_curators());
  semaphore pool(here, "/app/pool", 3);
  semaphore slots(here, "/app/slots", 2, in_curators());
  grant held = mutex.acquire();
  const grant reading = native.read().acquire();
  const grant writing = curators.write().acquire();
  const grant permits = pool.permits(2).acquire();
  const grant slot = slots.permits(1).acquire();
  (void)server_.create(full("/app/empty/folder"));
  auto waiting = queue_up(waiter, 2);
  recursive_mutex secret(open({.acl = acl_creator(), .auth = credentials}), "/app/secret/lock");
  const grant hidden = secret.acquire();

  session& observer = open();
  const std::vector<listed_lock> all = locks_below(observer, "/", patience);
  ASSERT_EQ(paths_of(all), (names{"/app/config/curator", "/app/config/native", "/app/orders", "/app/pool",
                                  "/app/secret", "/app/slots"}));
  const auto expect_listed = [&all](std::size_t place, const std::vector<participant>& queue) {
    EXPECT_FALSE(all[place].error) << all[place].path;
    EXPECT_EQ(all[place].participants, queue) << all[place].path;
  };
  expect_listed(0, curators.queue());
  expect_listed(1, native.queue());
  expect_listed(2, mutex.queue());
  expect_listed(3, pool.queue());
  expect_listed(5, participants(observer, "/app/slots", patience));
  EXPECT_EQ(all[2].participants.size(), 2U);
  EXPECT_EQ(all[2].participants[0].token, held.token());
  EXPECT_EQ(all[2].participants[1].label, "second");
  EXPECT_EQ(all[3].permit_limit, 3U);
  EXPECT_EQ(all[4].error, errc::permission_denied);
  EXPECT_TRUE(all[4].participants.empty());
  EXPECT_EQ(all[5].participants[0].layout, layout::curator);

  EXPECT_EQ(paths_of(locks_below(observer, "/app/config", patience)),
            (names{"/app/config/curator", "/app/config/native"}));
  EXPECT_EQ(paths_of(locks_below(observer, "/app/secret", patience)), names{"/app/secret"});
  EXPECT_TRUE(locks_below(observer, "/nowhere", patience).empty());
  std::error_code ec;
  EXPECT_TRUE(participants(observer, "/app/secret", patience, ec).empty());
  EXPECT_EQ(ec, errc::permission_denied);
  held.release();
  EXPECT_TRUE(waiting.get());
}

TEST_F(locks_on_a_server, are_found_among_thousands_of_nodes) {
  constexpr int folders = 1'500;
  (void)server_.create(full("/many"));
  for (int made = 0; made < folders;) {
    request::multi several;
    for (int part = 0; part < 250; ++part, ++made) {
      const std::string path = full("/many/" + std::to_string(10'000 + made));
      several.operations.emplace_back(request::create{path});
      several.operations.emplace_back(request::create{path + "/x-lock-0000000001"});
    }
    ASSERT_EQ(server_.ask(std::move(several)).code, client::code::ok);
  }
  const std::vector<listed_lock> all = locks_below(open(), "/many", patience);
  ASSERT_EQ(all.size(), static_cast<std::size_t>(folders));
  EXPECT_TRUE(std::ranges::is_sorted(all, {}, &listed_lock::path));
  EXPECT_TRUE(std::ranges::all_of(all, [](const listed_lock& one) { return one.participants.size() == 1; }));
}

TEST_F(locks_on_a_server, are_listed_by_another_try_when_the_connection_is_lost_on_the_way) {
  proxy& way = new_proxy();
  session& there = open_through(way);
  recursive_mutex lock(open(), "/a/lock");
  const grant held = lock.acquire();
  ASSERT_TRUE(there.wait_connected_for(patience));
  std::atomic<int> lists = 0;
  const hooks cutting(way, [&lists](const request_frame& asked) {
    return asked.opcode == opcode::get_children2 && ++lists == 2 ? verdict::cut_before : verdict::pass;
  });
  EXPECT_EQ(paths_of(locks_below(there, "/", patience)), names{"/a/lock"});
  EXPECT_GT(lists, 2);
}

}  // namespace
}  // namespace zklock::test
