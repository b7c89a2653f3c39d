#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "tests/unit/operations/curator_on_a_port.hpp"
#include "tests/unit/operations/on_a_port.hpp"

/// What is different in the two layouts of a multi-lock, for tests of what is not.
namespace zklock::test_support {

struct multi_layout {
  using list = std::vector<scripted_port::path_and_spec>;

  std::string name;
  recipes::layout layout;
  list parts;
  std::size_t nodes;             ///< of a holder
  std::size_t requests_to_hold;  ///< where nothing is in the way
  std::string in_the_way;        ///< of the last part
  std::string begins;            ///< the first requests
  list first_use;                ///< at paths that are not there
  std::string limit_at;          ///< one of them, of a native semaphore of three

  [[nodiscard]] recipes::acquire_spec side(recipes::contender_kind kind) const { return {kind, 1, 0, false, layout}; }

  /// Of all nodes but the one that went.
  [[nodiscard]] std::string removals_but_one() const {
    std::string removals = "remove";
    for (std::size_t left = 2; left < nodes; ++left) {
      removals += " remove";
    }
    return removals;
  }

  /// At paths that are there.
  [[nodiscard]] std::shared_ptr<asked_lock> ask(scripted_port& port, std::optional<detail::instant> until = {},
                                                bool one_try = false) const {
    if (layout == recipes::layout::curator) {
      curator::make_lock_nodes(port);
    }
    port.connect();
    return port.acquire_all(parts, until, one_try);
  }
  /// For the last part alone.
  [[nodiscard]] std::shared_ptr<asked_lock> wait_for_last(scripted_port& port,
                                                          std::optional<detail::instant> until = {}) const {
    port.others_create(in_the_way);
    auto lock = ask(port, until);
    port.answer_all();
    EXPECT_EQ(lock->answers, 0);
    return lock;
  }
  [[nodiscard]] std::shared_ptr<asked_lock> hold_all(scripted_port& port) const {
    auto lock = ask(port);
    port.answer_all();
    EXPECT_TRUE(lock->hold);
    return lock;
  }
};

inline std::ostream& operator<<(std::ostream& to, const multi_layout& one) { return to << one.name; }

inline std::vector<multi_layout> multi_layouts() {
  using recipes::contender_kind;
  const recipes::acquire_spec three_permits{contender_kind::permit, 1, 3};
  return {{"native",
           recipes::layout::native,
           {{"/l", {}}, {"/m", {}}},
           2,
           4,
           "/m/x-lock-0000000001",
           "multi list list",
           {{"/l", {}}, {"/s", three_permits}},
           "/s"},
          {"curator",
           recipes::layout::curator,
           {{"/m", {contender_kind::write}}, {"/s", curator::two_of_three}, {"/l", curator::mutex}},
           4,
           14,
           "/l/" + curator::others_prefix(1) + "lock-0000000001",
           "create list",
           {{"/a/l", curator::mutex}, {"/p", three_permits}, {"/s", curator::one_of_three}},
           "/p"}};
}

inline void release_parts(scripted_port& port, const std::shared_ptr<asked_lock>& lock) {
  lock->hold->end_by_release(port.now);
  for (const auto& part : lock->hold->parts()) {
    part->end_by_release(port.now);
    for (const auto& node : nodes_of(part)) {
      port.release(node);
    }
  }
  port.answer_all();
}

}  // namespace zklock::test_support
