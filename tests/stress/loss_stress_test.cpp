// Many threads on locks while connections are cut and sessions expire: by its own grant's word, no thread shares the
// lock.
#include <gtest/gtest.h>

#include <zklock/zklock.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "tests/stress/server_for_stress.hpp"
#include "tests/support/eventually.hpp"

namespace zklock::test {
namespace {

using namespace std::chrono_literals;
using test_support::eventually;

class losses : public under_stress {};
INSTANTIATE_TEST_SUITE_P(, losses, both_servers, name_of);

/// Refuses smaller tokens, as a store does.
class store {
 public:
  bool write(fencing_token token) {
    std::int64_t seen = highest_;
    while (seen <= token.czxid) {
      if (highest_.compare_exchange_weak(seen, token.czxid)) {
        return true;
      }
    }
    return false;
  }

 private:
  std::atomic<std::int64_t> highest_ = 0;
};

class many_clients : public losses {
 protected:
  static constexpr int clients = 3;

  void open_all(std::chrono::milliseconds timeout) {
    start(clients);
    for (int client = 0; client < clients; ++client) {
      sessions_.push_back(server_->open(client, {.timeout = timeout}));
    }
  }

  /// Two threads a client go on acquiring, and do `what` with each grant, until `faults` has returned.
  void contend(const std::function<void(grant&)>& what,
               const std::function<void(const std::atomic<int>& grants)>& faults) {
    std::atomic<int> grants = 0;
    std::atomic<bool> over = false;
    {
      std::vector<std::jthread> running;
      for (int number = 0; number < 2 * clients; ++number) {
        running.emplace_back([&, number] {
          recursive_mutex lock(*sessions_[static_cast<std::size_t>(number % clients)], "/lock");
          while (!over) {
            std::error_code ec;
            grant held = lock.try_acquire_for(30s, ec);
            EXPECT_FALSE(ec) << ec.message();
            if (held) {
              ++grants;
              what(held);
            }
          }
        });
      }
      faults(grants);
      over = true;
    }
    EXPECT_GT(grants, 0);
  }

  std::vector<std::unique_ptr<session>> sessions_;
};

INSTANTIATE_TEST_SUITE_P(, many_clients, both_servers, name_of);

TEST_P(many_clients, f18_f22_f39_whose_connections_are_cut_never_hold_side_by_side) {
  open_all(6s);
  int inside = 0;  // unprotected, but for the lock
  contend(
      [&](const grant& held) {
        EXPECT_EQ(++inside, 1);
        --inside;
        EXPECT_TRUE(held.held());
      },
      [&](const std::atomic<int>& grants) {
        for (int round = 0; round < 10; ++round) {
          const int before = grants;
          EXPECT_TRUE(eventually([&] { return grants > before + 5; })) << "all threads go on";
          server_->cut(round % clients);
        }
      });
  sessions_.clear();
  expect_nothing_left("/lock");
}

// An expiry by force lets the next one in at once, before the holder can know. Then the token has to do.
TEST_P(many_clients, f10_f11_whose_sessions_expire_write_in_the_order_of_their_tokens_or_have_lost) {
  open_all(6s);
  store protected_by_tokens;
  std::atomic<int> expiries = 0;
  contend(
      [&](const grant& held) {
        if (!protected_by_tokens.write(held.token())) {
          EXPECT_TRUE(eventually([&] { return !held.held(); })) << "refused, though it stands";
        }
      },
      [&](const std::atomic<int>& grants) {
        for (; expiries < 8; ++expiries) {
          const int before = grants;
          EXPECT_TRUE(eventually([&] { return grants > before + 5; })) << "all threads take part again";
          server_->expire(expiries % clients);
        }
      });
  sessions_.clear();
  expect_nothing_left("/lock");
}

/// What a callback on a loss may do: whatever it likes.
TEST_P(losses, f24_f25_call_back_to_code_that_releases_locks_and_destroys) {
  start(2);
  const auto other = server_->open(1);
  for (int round = 0; round < 5; ++round) {
    auto one = server_->open(0);
    recursive_mutex elsewhere(*other, "/elsewhere");
    auto releases = std::make_unique<recursive_mutex>(*one, "/releases");
    auto destroyed = std::make_unique<recursive_mutex>(*one, "/destroyed");
    recursive_mutex relocked(*one, "/relocked");
    grant first = releases->acquire();
    grant second = destroyed->acquire();
    grant third = relocked.acquire();
    std::atomic<int> done = 0;
    {
      const std::stop_callback lets_go(first.lost(), [&] {
        std::error_code ec;
        first.release(ec);
        EXPECT_EQ(ec, errc::lost);
        ++done;
      });
      const std::stop_callback destroys(second.lost(), [&] {
        destroyed.reset();
        second = {};
        ++done;
      });
      const std::stop_callback locks(third.lost(), [&] {
        third = {};
        std::error_code ec;
        {
          const grant there = elsewhere.try_acquire_for(30s, ec);
          EXPECT_TRUE(there.held()) << ec.message();
        }
        const grant here = relocked.try_acquire_for(30s, ec);
        EXPECT_TRUE(here.held()) << ec.message();
        ++done;
      });
      // Others use the same locks meanwhile, and are told as well.
      std::jthread beside([&] {
        std::error_code ec;
        const grant mine = relocked.try_acquire_for(30s, ec);
        EXPECT_TRUE(mine.held()) << ec.message();
      });
      server_->expire(0);
      EXPECT_TRUE(eventually([&] { return done == 3; })) << done;
    }
    one.reset();
  }
  for (const char* path : {"/releases", "/destroyed", "/relocked", "/elsewhere"}) {
    expect_nothing_left(path);
  }
}

TEST_P(losses, f24_f77_at_the_sessions_end_call_code_that_closes_or_destroys_the_session) {
  start(1);
  for (int round = 0; round < 10; ++round) {
    auto one = server_->open(0);
    recursive_mutex lock(*one, "/lock");
    grant held = lock.acquire();
    std::atomic<bool> ended = false;
    const std::stop_callback ends(held.lost(), [&] {
      if (round % 2 == 0) {
        one.reset();
      } else {
        std::error_code ec;
        one->close(ec);
        EXPECT_EQ(one->state(), session_state::closed);
      }
      ended = true;
    });
    server_->expire(0);
    EXPECT_TRUE(eventually([&] { return ended.load(); }));
    EXPECT_FALSE(held.held());
    expect_nothing_left("/lock");
  }
}

TEST_P(losses, come_while_grants_are_asked_released_and_closed) {
  start(1);
  for (int round = 0; round < 6; ++round) {
    auto one = server_->open(0);
    std::atomic<int> granted = 0;
    std::atomic<int> notices = 0;
    {
      std::vector<std::jthread> running;
      for (int number = 0; number < 4; ++number) {
        running.emplace_back([&, number] {
          recursive_mutex lock(*one, "/lock-" + std::to_string(number));
          std::error_code ec;
          grant held = lock.acquire(ec);
          EXPECT_TRUE(held) << ec.message();
          const std::stop_callback counts(held.lost(), [&] { ++notices; });
          ++granted;
          while (held.held()) {
            static_cast<void>(held.valid_until());
            std::this_thread::yield();
          }
          EXPECT_NE(held.loss_reason(), loss_reason::none);
          held.release(ec);
          EXPECT_EQ(ec, errc::lost);
        });
      }
      EXPECT_TRUE(eventually([&] { return granted == 4; }));
      round % 2 == 0 ? server_->expire(0) : one->close();
    }
    one.reset();
    EXPECT_LE(notices, 4) << "a notice may come too late for a thread that has stopped listening, but never twice";
  }
  for (int number = 0; number < 4; ++number) {
    expect_nothing_left("/lock-" + std::to_string(number));
  }
}

}  // namespace
}  // namespace zklock::test
