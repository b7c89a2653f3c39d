#pragma once

#include "tests/unit/api/on_a_fake.hpp"

namespace zklock::test {

/// A shared_mutex of this program and one of another, in either layout.
class shared_mutex_calls : public on_a_fake, public ::testing::WithParamInterface<layout> {
 protected:
  [[nodiscard]] static lock_options in_layout() { return {.layout = GetParam()}; }
  [[nodiscard]] static bool of_curator() { return GetParam() == layout::curator; }
  [[nodiscard]] bool others_may_read() { return static_cast<bool>(others_.read().try_acquire()); }
  [[nodiscard]] bool others_may_write() { return static_cast<bool>(others_.write().try_acquire()); }
  /// An operator removes its node; returns when that is known.
  [[nodiscard]] bool loses(const grant& held) {
    return zookeeper_.remove_node(held.node()) && eventually([&] { return !held.held(); });
  }

  /// Its heartbeat comes soon, and the look at its own nodes.
  session watchful_{zookeeper_.clients(2), {.timeout = 2s}};
  shared_mutex lock_{watchful_, "/lock", in_layout()};
  shared_mutex others_{two_, "/lock", in_layout()};
  contract_violations violations_;
};

}  // namespace zklock::test
