// exit_on_loss(): the process ends when the hold is lost, whatever its threads are about.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/unit/api/on_a_fake.hpp"

namespace zklock::test {
namespace {

constexpr int status = 77;
/// What a process ends with that the library has not ended.
constexpr int went_on = 3;

/// Runs in the child of a death test, on sessions that the child makes.
struct world {
  testing::fake_ensemble zookeeper;
  session one;

  /// A short timeout for what waits for a deadline: on a busy machine it ends other holds, too.
  explicit world(std::chrono::milliseconds timeout = 30s)
      : one(zookeeper.clients(0), {.timeout = timeout, .margin = 50ms}) {
    if (!one.wait_connected_for(patience)) {
      std::_Exit(2);
    }
  }
};

[[noreturn]] void be_stuck() {
  for (;;) {
    std::this_thread::sleep_for(1h);
  }
}

/// A lock whose node stays between its holds, and has had some.
recursive_mutex& kept_in(world& in) {
  static recursive_mutex lock(in.one, "/lock", {.keep = kept_lock{.idle_limit = 10s}});
  for (int i = 0; i < 3; ++i) {
    static_cast<void>(lock.acquire());
  }
  return lock;
}

class of_a_process : public ::testing::Test {
 protected:
  /// `what` is to end it by the loss of /lock for that reason.
  static void expect_exit(const std::string& why, const std::function<void(world&)>& what,
                          const std::string& path = "/lock") {
    EXPECT_EXIT(
        {
          world in;
          what(in);
          std::_Exit(went_on);
        },
        ::testing::ExitedWithCode(status),
        "zklock: lost " + path + " \\(" + why + "\\): the process ends with status 77");
  }
  static void expect_no_exit(const std::function<void(world&)>& what) {
    EXPECT_EXIT(
        {
          {
            world in;
            what(in);
          }
          std::_Exit(went_on);
        },
        ::testing::ExitedWithCode(went_on), "");
  }
};

TEST_F(of_a_process, that_keeps_a_lock_the_end_comes_with_the_loss_of_a_turn) {
  expect_exit("node removed", [](world& in) {
    const grant held = kept_in(in).acquire();
    if (held.token().turn == 0) std::_Exit(2);
    exit_on_loss(held, status);
    in.zookeeper.remove_node(held.node());
    be_stuck();
  });
}

TEST_F(of_a_process, that_keeps_a_lock_the_end_of_a_turn_undoes_it) {
  expect_no_exit([](world& in) {
    recursive_mutex& lock = kept_in(in);
    for (int i = 0; i < 3; ++i) {
      exit_on_loss(lock.acquire(), status);
    }
    const std::string kept = in.zookeeper.children("/lock").at(0);
    in.zookeeper.remove_node("/lock/" + kept);
    if (!eventually([&] { return lock.acquire().token().turn == 0; })) std::_Exit(2);
  });
}

TEST_F(of_a_process, whose_threads_are_all_stuck_the_end_comes_when_its_node_is_removed) {
  expect_exit("node removed", [](world& in) {
    recursive_mutex lock(in.one, "/lock");
    const grant held = lock.acquire();
    const std::stop_callback stuck(held.lost(), [] { be_stuck(); });
    const session_observer also_stuck = in.one.observe([](const session_change&) { be_stuck(); });
    set_log_sink([](const log_line&) { be_stuck(); });
    exit_on_loss(held, status);
    in.zookeeper.remove_node(held.node());
    be_stuck();
  });
}

TEST_F(of_a_process, that_no_server_answers_the_end_comes_at_the_deadline) {
  EXPECT_EXIT(
      {
        world in(600ms);
        recursive_mutex lock(in.one, "/lock");
        const grant held = lock.acquire();
        exit_on_loss(held, status);
        in.zookeeper.hold(0);
        while (boot_clock::now() < held.valid_until()) {}
        be_stuck();
      },
      ::testing::ExitedWithCode(status), "lost /lock .deadline passed.: the process ends with status 77");
}

TEST_F(of_a_process, the_end_does_not_come_before_the_deadline) {
  expect_no_exit([](world& in) {
    recursive_mutex lock(in.one, "/lock", {.max_hold = 2s});
    const grant held = lock.acquire();
    exit_on_loss(held, status);
    std::this_thread::sleep_for(1s);
    if (boot_clock::now() < held.valid_until()) {
      std::_Exit(went_on);
    }
    std::_Exit(held.held() ? 1 : went_on);  // this machine was busy
  });
}

TEST_F(of_a_process, whose_hold_has_a_bound_the_end_comes_then) {
  expect_exit("held too long", [](world& in) {
    recursive_mutex lock(in.one, "/lock", {.max_hold = 100ms});
    const grant held = lock.acquire();
    exit_on_loss(held, status);
    be_stuck();
  });
}

TEST_F(of_a_process, whose_session_expires_the_end_comes) {
  expect_exit("session expired", [](world& in) {
    recursive_mutex lock(in.one, "/lock");
    const grant held = lock.acquire();
    exit_on_loss(held, status);
    in.zookeeper.expire_sessions(0);
    be_stuck();
  });
}

TEST_F(of_a_process, that_leads_the_end_comes_with_its_term) {
  expect_exit(
      "node removed",
      [](world& in) {
        election stands(in.one, "/lead");
        stands.run([&](const term& leads, const std::stop_token&) {
          exit_on_loss(leads, status);
          in.zookeeper.remove_node(leads.node());
          be_stuck();
        });
      },
      "/lead");
}

TEST_F(of_a_process, that_loses_one_part_of_a_multi_lock_the_end_comes) {
  expect_exit(
      "node removed",
      [](world& in) {
        recursive_mutex a(in.one, "/a"), b(in.one, "/b");
        multi_lock both({a, b});
        const grant held = both.acquire();
        exit_on_loss(held, status);
        const std::string nodes = held.node();
        in.zookeeper.remove_node(nodes.substr(nodes.find('\n') + 1));
        be_stuck();
      },
      "/a /b");
}

TEST_F(of_a_process, that_asks_for_it_behind_the_loss_the_end_comes_at_once) {
  expect_exit("session expired", [](world& in) {
    recursive_mutex lock(in.one, "/lock");
    const grant held = lock.acquire();
    in.zookeeper.expire_sessions(0);
    static_cast<void>(eventually([&] { return !held.held(); }));
    exit_on_loss(held, status);
  });
}

TEST_F(of_a_process, whose_stderr_is_read_by_nobody_the_status_is_the_same_on_its_own_thread) {
  for (const bool by_close : {false, true}) {
    EXPECT_EXIT(
        {
          set_log_sink([](const log_line&) {});  // the default one writes there, too
          world in;
          recursive_mutex lock(in.one, "/lock");
          const grant held = lock.acquire();
          int ends[2];
          if (pipe(ends) != 0 || dup2(ends[1], STDERR_FILENO) < 0 || close(ends[0]) != 0) std::_Exit(2);
          std::signal(SIGPIPE, SIG_DFL);
          if (by_close) {
            exit_on_loss(held, status);
            in.one.close();
          } else {
            in.zookeeper.expire_sessions(0);
            static_cast<void>(eventually([&] { return !held.held(); }));
            exit_on_loss(held, status);
          }
          std::_Exit(went_on);
        },
        ::testing::ExitedWithCode(status), "");
  }
}

TEST_F(of_a_process, that_closes_the_session_under_the_hold_the_end_comes) {
  expect_exit("session closed", [](world& in) {
    recursive_mutex lock(in.one, "/lock");
    const grant held = lock.acquire();
    exit_on_loss(held, status);
    in.one.close();
  });
}

TEST_F(of_a_process, whose_hold_stands_for_several_grants_the_end_comes_until_the_last_is_given_back) {
  expect_exit("session expired", [](world& in) {
    recursive_mutex lock(in.one, "/lock");
    const owner job;
    grant first = lock.as(job).acquire();
    const grant again = lock.as(job).acquire();
    exit_on_loss(first, status);
    first.release();
    in.zookeeper.expire_sessions(0);
    be_stuck();
  });
}

TEST_F(of_a_process, that_gives_the_lock_back_nothing_is_ended_by_what_comes_then) {
  expect_no_exit([](world& in) {
    recursive_mutex lock(in.one, "/lock");
    for (int i = 0; i < 100; ++i) {
      grant held = lock.acquire();
      exit_on_loss(held, status);
      if (i % 2 == 0) held.release();
    }
    std::this_thread::sleep_for(100ms);  // the watch looks at some that are over
    in.zookeeper.expire_sessions(0);
    const grant other = lock.acquire();  // not asked for
    in.zookeeper.expire_sessions(0);
    static_cast<void>(eventually([&] { return !other.held(); }));
  });
}

TEST_F(of_a_process, that_holds_long_nothing_is_ended_while_servers_answer) {
  expect_no_exit([](world& in) {
    recursive_mutex lock(in.one, "/lock", {.max_hold = 1s});
    grant held = lock.acquire();
    exit_on_loss(held, status);
    for (int i = 0; i < 10; ++i) {
      held.extend(1s);
      std::this_thread::sleep_for(150ms);
    }
    held.release();
  });
}

TEST_F(of_a_process, bad_input_is_refused_and_named) {
  world in;
  recursive_mutex lock(in.one, "/lock");
  const grant none;
  expect_thrown(errc::not_owner, "", [&] { return exit_on_loss(none, 1), 0; });
  grant held = lock.acquire();
  for (const int wrong : {-1, 256}) {
    const thrown told = thrown_by([&] { return exit_on_loss(held, wrong), 0; });
    EXPECT_EQ(told.ec, errc::invalid_option);
    EXPECT_NE(told.text.find("status = " + std::to_string(wrong)), std::string::npos) << told.text;
  }
  in.zookeeper.expire_sessions(0);
  EXPECT_TRUE(eventually([&] { return !held.held(); })) << "and the process goes on";
}

}  // namespace
}  // namespace zklock::test
