#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/engine/out.hpp"
#include "src/port/client.hpp"

namespace zklock::operations {

/// A lock node, and where it is to be.
struct lock_node_plan {
  std::string path;                 ///< full
  std::optional<std::string> data;  ///< nothing: the node itself is not to be made, only what is above it
  bool stays = false;               ///< when it is empty, too
  client::acl acl;
};

/// A create for each part of the path, the topmost first, to be sent in one go: what is there already answers "exists".
/// What need not stay is a container, if the servers know containers.
[[nodiscard]] std::vector<client::request::create> creates_of(const lock_node_plan& plan, bool containers);

/// What comes of such creates, whose answers come in the same order.
///
/// Invariant: `result_` is the answer of the last of them that did more than repeat that there is no parent.
class lock_node_making {
 public:
  lock_node_making() = default;
  lock_node_making(std::size_t creates, bool containers) noexcept
      : creates_(static_cast<std::uint32_t>(creates)), left_(creates_), containers_(containers) {}

  void answered(client::code answer) noexcept;
  /// Whether it was the last one. What it says of the servers goes to the engine.
  bool answered(client::code answer, engine::out& wants);

  [[nodiscard]] bool complete() const noexcept { return left_ == 0; }
  /// Of the lowest part, or why there is no node that it could have been made below. "No node": ask again.
  [[nodiscard]] client::code result() const noexcept { return result_; }
  /// Not even the topmost part has a parent: the handle's chroot is not there.
  [[nodiscard]] bool without_root() const noexcept { return without_root_; }
  /// An old server, which knows no containers, was asked for one.
  [[nodiscard]] bool containers_refused() const noexcept { return containers_refused_; }

 private:
  std::uint32_t creates_ = 0;
  std::uint32_t left_ = 0;
  client::code result_ = client::code::ok;
  bool containers_ = false;
  bool without_root_ = false;
  bool containers_refused_ = false;
};

/// Asks for them, each under this mark.
[[nodiscard]] lock_node_making request_creates(const lock_node_plan& plan, engine::tag as, engine::out& wants);

/// The child that keeps a semaphore's lock node, and its permit limit with it, when the node is a container and empty. It
/// is created ahead of the limit, so that there is never a limit without it. Its answer is waited for by no caller.
[[nodiscard]] client::request::create limit_keeper_at(const std::string& lock_node, const client::acl& acl);
/// What is to be logged of its answer. Nothing: it is there, or the limit has not been stored either.
[[nodiscard]] std::optional<std::string> limit_keeper_warning(client::code answer);

}  // namespace zklock::operations
