// Sessions of a process that the system refuses threads or names.
#include <gtest/gtest.h>
#include <zookeeper/zookeeper.h>

#include <zklock/adopt.hpp>
#include <zklock/zklock.hpp>

#include <memory>
#include <system_error>

#include "src/lock_state.hpp"
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

}  // namespace
}  // namespace zklock::test
