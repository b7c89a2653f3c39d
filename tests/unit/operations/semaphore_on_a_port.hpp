#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/operations/curator_on_a_port.hpp"
#include "tests/unit/operations/on_a_port.hpp"

/// What is different in the two layouts of a semaphore at /s, for tests of what is not.
namespace zklock::test_support {

/// The nodes of other clients' contenders. When the first one goes, the waiter is let in.
using obstacle = std::vector<std::string>;

struct semaphore_layout {
  std::string name;
  recipes::layout layout;
  bool has_mutex;  ///< a contender takes a mutex beside the leases first, and holds it as long as it waits
  std::size_t nodes_of_holder, nodes_of_waiter;  ///< of two permits
  std::size_t watches_of_first_waiter;
  std::size_t requests_to_hold;                     ///< at lock nodes that are there
  std::size_t requests_to_wait;                     ///< the same, until all watches stand
  std::vector<std::size_t> answers_before_creates;  ///< how many come before each step that creates nodes

  [[nodiscard]] recipes::acquire_spec permits(std::uint32_t several, std::uint32_t limit) const {
    return {recipes::contender_kind::permit, several, limit, false, layout};
  }
  /// And their data.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> lock_nodes(int limit) const {
    return has_mutex
               ? std::vector<std::pair<std::string, std::string>>{{"/s", ""}, {"/s/locks", ""}, {"/s/leases", ""}}
               : std::vector<std::pair<std::string, std::string>>{{"/s", "limit=" + std::to_string(limit) + "\n"}};
  }
  /// Two of three permits, one each.
  [[nodiscard]] obstacle two_holders() const {
    return has_mutex ? obstacle{curator::held_lease(1), curator::held_lease(2)}
                     : obstacle{"/s/permit-x-1-0000000001", "/s/permit-y-1-0000000002"};
  }
  /// All that can be in the way of a contender for two.
  [[nodiscard]] std::vector<obstacle> obstacles() const {
    return has_mutex ? std::vector<obstacle>{{curator::mutex_of_others}, two_holders()}
                     : std::vector<obstacle>{two_holders()};
  }

  void make_lock_nodes(scripted_port& port, int limit) const {
    for (const auto& [path, with] : lock_nodes(limit)) {
      port.others_create(path, with);
    }
  }
  /// For two, on a new connection, at lock nodes that are there.
  [[nodiscard]] std::shared_ptr<asked_lock> ask(scripted_port& port, const obstacle& others = {},
                                                std::optional<detail::instant> until = {}) const {
    make_lock_nodes(port, 3);
    for (const std::string& node : others) {
      port.others_create(node);
    }
    port.connect();
    return port.acquire_as(permits(2, 3), "/s", until);
  }
  [[nodiscard]] std::shared_ptr<asked_lock> wait_behind(scripted_port& port, const obstacle& others,
                                                        std::optional<detail::instant> until = {}) const {
    auto lock = ask(port, others, until);
    port.answer_all();
    EXPECT_EQ(lock->answers, 0);
    return lock;
  }
  [[nodiscard]] std::shared_ptr<asked_lock> hold_two(scripted_port& port) const {
    auto lock = ask(port);
    port.answer_all();
    if (port.adopted()) {
      answer_until_answered(port, *lock);
    }
    EXPECT_TRUE(lock->hold);
    return lock;
  }
  /// The paths of the own nodes that are permits.
  [[nodiscard]] std::vector<std::string> own_permits(const scripted_port& port) const {
    const std::string above = has_mutex ? "/s/leases/" : "/s/";
    std::vector<std::string> own;
    std::copy_if(port.nodes.begin(), port.nodes.end(), std::back_inserter(own),
                 [&](const std::string& node) { return node.starts_with(above) && is_own(node); });
    return own;
  }
};

inline std::ostream& operator<<(std::ostream& to, const semaphore_layout& one) { return to << one.name; }

inline std::vector<semaphore_layout> semaphore_layouts() {
  return {{"native", recipes::layout::native, false, 1, 1, 2, 3, 5, {0}},
          {"curator", recipes::layout::curator, true, 2, 3, 1, 9, 11, {0, 3}}};
}

}  // namespace zklock::test_support
