#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/integration/inspector.hpp"
#include "tests/soak/event.hpp"
#include "tests/support/private_zookeeper.hpp"
#include "tests/support/proxy.hpp"

namespace zklock::soak {

/// A contender's end that no library can foresee: it came between `at`, just before it was asked for, and `known`.
struct forced_end {
  std::string lock{};
  std::string node{};  ///< below the chroot
  instant at{};
  instant known{};
};

/// Which locks are looked at, and where.
struct lock_nodes {
  std::string servers{};
  std::vector<std::uint16_t> ports{};
  std::string chroot{};
  std::vector<std::string> locks{};
};

/// What an operator does to contenders: one thing after the other, in a thread of its own, since servers may be slow to
/// answer. Any thread.
class operator_hand {
 public:
  explicit operator_hand(lock_nodes where);
  operator_hand(const operator_hand&) = delete;
  operator_hand& operator=(const operator_hand&) = delete;
  ~operator_hand();

  using then = std::function<void(bool done)>;
  /// Removes the node of a contender, most often of one that holds.
  void remove_a_contender(std::uint64_t choice, then call);
  /// Ends the session that goes through one of these proxies, which are cut meanwhile, and pass afterwards. Not done
  /// when it has no contender.
  void expire_session_behind(const std::vector<test_support::proxy*>& ways, then call);
  /// Nothing is under way or waits.
  [[nodiscard]] bool idle() const;
  /// What has come to an end since the last time.
  [[nodiscard]] std::vector<forced_end> take_forced_ends();

 private:
  struct contender {
    std::string lock;
    std::string node;  ///< below the chroot
    std::int64_t owner;
  };
  struct job {
    std::function<bool()> work;
    then call;
  };

  void run();
  void order(job what);
  void note(const std::vector<contender>& all, instant at);
  [[nodiscard]] bool are_gone(const std::vector<contender>& all) const;
  [[nodiscard]] std::vector<contender> contenders(test::inspector& through, const std::string& lock) const;
  bool remove(std::uint64_t choice);
  bool expire(const std::vector<test_support::proxy*>& ways);
  bool expire_on_some_server(const test_support::session_credentials& victim, const std::vector<contender>& its);

  const lock_nodes where_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<job> jobs_;            ///< guarded by mutex_; the first is under way
  std::vector<forced_end> forced_;  ///< guarded by mutex_
  bool over_ = false;               ///< guarded by mutex_
  std::thread working_;             // the last member: it uses the others
};

}  // namespace zklock::soak
