#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "recipes/contender.hpp"
#include "recipes/joined.hpp"
#include "src/engine/out.hpp"
#include "src/operations/lock_node_making.hpp"
#include "src/operations/lock_target.hpp"

namespace zklock::operations {

/// What a contender's machine wants of the servers, as requests; and the answers to them, as its events. It knows the paths
/// and the data of the nodes, and decides nothing.
class contender_requests {
 public:
  /// What is asked, and what is watched.
  enum question : engine::tag {
    lock_node_made,
    created,
    synced,
    listed,
    siblings_listed,
    limit_read,
    limit_kept,
    limit_stored,
    marked,
    replaced,
    removed,
    own,
    predecessor,
    limit,
    children,
  };

  /// `below`: where the lock node is, below the path that the user has named. `owner`: of the acquisition; 0: none.
  contender_requests(std::shared_ptr<const detail::lock_target> target, std::string_view below, std::uint64_t owner);

  [[nodiscard]] const detail::lock_target& target() const noexcept { return *target_; }
  [[nodiscard]] std::uint64_t owner() const noexcept { return owner_; }
  /// The user has named the lock node itself.
  [[nodiscard]] bool is_at_target() const noexcept { return below_ == nullptr; }
  /// The paths leave out the root.
  [[nodiscard]] const std::string& lock_node() const noexcept { return below_ ? *below_ : target_->path; }
  [[nodiscard]] std::shared_ptr<const std::string> shared_lock_node() const;
  /// As the user has named it.
  [[nodiscard]] std::shared_ptr<const std::string> path() const { return detail::path_of(target_); }
  [[nodiscard]] std::string node(std::string_view name) const { return recipes::joined({lock_node(), "/", name}); }
  /// What the own node says, as far as this client knows.
  [[nodiscard]] std::string data_of(const recipes::contender& machine, const engine::out& wants) const;
  [[nodiscard]] client::request::create own_node(const recipes::contender& machine, const engine::out& wants);
  [[nodiscard]] lock_node_plan plan_of_lock_node(const recipes::contender& machine, const engine::out& wants) const;

  /// Nothing, if it is no action that asks the servers.
  void ask(recipes::action what, const recipes::contender& machine, engine::out& wants);
  /// Nothing: the answer is not for the machine. An event with a text refers to the answer's.
  [[nodiscard]] std::optional<recipes::contender_event> event_of(engine::tag as, const client::reply_view& answer,
                                                                 const recipes::contender& machine, engine::out& wants);
  [[nodiscard]] static recipes::contender_event event_of(engine::tag as, client::node_event what);
  /// Whether that node is known to have been the own one: also the reader that an answered downgrade has put in its place, and
  /// any where the downgrade has found no writer.
  [[nodiscard]] bool was_own(std::string_view node, const recipes::contender& machine) const;
  /// What the lock node's answer says, for the next contender of this lock object and for the caller of a refused one.
  void keep_limit(const client::reply_view& answer, const recipes::contender& machine, const engine::out& wants) const;
  /// A mark on the own node was refused, if this is its answer.
  void log_unmarked(recipes::code answer, const recipes::contender& machine, engine::out& wants) const;

 private:
  void store_limit(const recipes::contender& machine, engine::out& wants) const;
  void remove_own(const recipes::contender& machine, engine::out& wants) const;
  void replace_with_reader(const recipes::contender& machine, engine::out& wants) const;

  std::shared_ptr<const detail::lock_target> target_;
  std::unique_ptr<const std::string> below_;  ///< the lock node, if the user has named one above it
  std::uint64_t owner_;
  recipes::heap_text data_;  ///< of the own node, if it may be marked
  std::unique_ptr<lock_node_making> making_;
  recipes::code replaced_ = recipes::code::connection_loss;  ///< the answer to the latest downgrade by another node
};

}  // namespace zklock::operations
