// Sessions of a process that the system refuses threads or names, and forks of one in an awkward instant.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zookeeper/zookeeper.h>

#include <zklock/adopt.hpp>
#include <zklock/zklock.hpp>

#include <future>
#include <memory>
#include <system_error>

#include "src/api/lock_state.hpp"
#include "tests/integration/on_a_server.hpp"
#include "tests/integration/scarce.hpp"

namespace zklock::test {
namespace {

class a_session_without : public on_a_server {
 protected:
  void TearDown() override {
    scarce_.end();
    on_a_server::TearDown();
  }
  void lose_session() {
    expire_behind(way_);
    way_.set_mode(proxy_mode::pass);
  }
  [[nodiscard]] bool tries_again(int times) const {
    return eventually([&] { return scarce_.refused() >= times; });
  }

  proxy& way_ = new_proxy();
  scarcity scarce_;
};

// ---- threads

TEST_F(a_session_without, f150_a_thread_to_be_had_at_its_loss_tells_it_and_tries_again) {
  session& one = open_through(way_);
  recursive_mutex lock(one, "/lock");
  grant held = lock.acquire();
  scarce_.threads(0);
  lose_session();
  EXPECT_TRUE(eventually([&] { return held.lost().stop_requested(); }));
  EXPECT_EQ(held.loss_reason(), loss_reason::session_expired);
  EXPECT_TRUE(tries_again(2));
  EXPECT_EQ(one.state(), session_state::connecting);
  scarce_.end();
  std::error_code ec;
  held.release(ec);
  EXPECT_EQ(ec, errc::lost);
  EXPECT_TRUE(acquire_patiently(lock).held());
}

TEST_F(a_session_without, f150_a_thread_to_be_had_closes_all_the_same) {
  session& one = open_through(way_);
  recursive_mutex lock(one, "/lock");
  const grant held = lock.acquire();
  scarce_.threads(0);
  EXPECT_NO_THROW(one.close());
  EXPECT_EQ(scarce_.refused(), 0);
}

TEST_F(a_session_without, f150_threads_to_begin_with_is_not_made) {
  for (int given = 0; given < 5;
       ++given) {  // two of its own, one of the connection, and two as zookeeper_init makes them
    scarce_.threads(given);
    std::error_code ec;
    try {
      static_cast<void>(open());
    } catch (const std::system_error& failure) {
      ec = failure.code();
    }
    EXPECT_EQ(ec, std::errc::resource_unavailable_try_again) << "with " << given << " threads: " << ec.message();
  }
  scarce_.end();
  EXPECT_TRUE(open().wait_connected_for(patience));
}

TEST_F(a_session_without, f150_a_thread_to_be_had_goes_on_with_an_adopted_handle_later) {
  (void)server_.create(full("/lock"));
  const auto open_handle = [&] {
    const auto address = way_.address() + root_;
    return std::shared_ptr<zhandle_t>(
        zookeeper_init(address.c_str(), nullptr, 10'000, nullptr, nullptr, ZOO_NO_LOG_CLIENTENV), zookeeper_close);
  };
  const auto connects = [](const std::shared_ptr<zhandle_t>& one) {
    return eventually([&] { return zoo_state(one.get()) == ZOO_CONNECTED_STATE; });
  };
  const auto next = open_handle();
  ASSERT_TRUE(connects(next));
  const auto first = open_handle();  // the last session that goes through the proxy: it is lost
  ASSERT_TRUE(connects(first));
  session one = adopt(first.get());
  recursive_mutex lock(one, "/lock");
  grant held = lock.acquire();
  scarce_.threads(0);
  lose_session();
  EXPECT_TRUE(eventually([&] { return held.lost().stop_requested(); }));
  readopt(one, next.get());
  EXPECT_TRUE(tries_again(2));
  scarce_.end();
  std::error_code ec;
  held.release(ec);
  EXPECT_TRUE(acquire_patiently(lock).held());
}

// ---- names

TEST_F(a_session_without, f155_names_keeps_nothing_of_each_try_to_resolve_them) {
  session& one = open_through(way_, {.timeout = 2s});
  const auto impl = detail::session_access::impl(one);
  recursive_mutex lock(one, "/lock");
  const grant held = lock.acquire();
  scarce_.names(0);
  way_.set_mode(proxy_mode::cut);
  ASSERT_TRUE(eventually([&] { return one.state() == session_state::connecting; }));
  EXPECT_TRUE(tries_again(scarce_.refused() + 3)) << "of which the lost handle has asked for one at the most";
  EXPECT_TRUE(eventually([&] { return impl->observer_count() == 0; })) << impl->observer_count();
  scarce_.end();
  way_.set_mode(proxy_mode::pass);
  ASSERT_TRUE(one.wait_connected_for(patience));
  EXPECT_TRUE(eventually([&] { return impl->observer_count() == 1; })) << impl->observer_count();
}

// ---- fork()

/// Whether the child answered, and what.
[[nodiscard]] std::optional<int> exit_status_of(pid_t child) {
  int status = 0;
  if (!eventually([&] { return waitpid(child, &status, WNOHANG) == child; })) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    return std::nullopt;
  }
  return WIFEXITED(status) ? std::optional(WEXITSTATUS(status)) : std::nullopt;
}

TEST_F(a_session_without, f157_its_threads_answers_in_a_child_of_a_fork_whatever_they_were_at) {
  recursive_mutex lock(open(), "/lock");
  grant first = lock.as(owner::this_thread()).acquire();
  grant second = lock.as(owner::this_thread()).acquire();
  std::promise<void> inside;
  std::promise<void> leave;
  auto asking = in_a_thread([&] {
    at_next_allocation([&] {
      inside.set_value();
      leave.get_future().wait();
    });
    return second.lost();
  });
  inside.get_future().wait();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    int wrong = first.held() || lock.held() ? 1 : 0;
    wrong |= first.lost().stop_requested() ? 2 : 0;
    wrong |= first.loss_reason() != loss_reason::none ? 4 : 0;
    wrong |= first.token().czxid == 0 || first.path() != "/lock" || !first.lost_part().empty() ? 8 : 0;
    std::error_code ec;
    first.release(ec);
    wrong |= ec != errc::forked ? 16 : 0;
    second = grant();
    lock.unlock();
    _exit(wrong);
  }
  EXPECT_EQ(exit_status_of(child), 0);
  leave.set_value();
  EXPECT_FALSE(asking.get().stop_requested());
}

}  // namespace
}  // namespace zklock::test
