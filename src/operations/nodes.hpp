#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <boost/intrusive/list.hpp>
#include <boost/intrusive/set.hpp>

#include "recipes/session_queue.hpp"
#include "src/engine/hold.hpp"
#include "src/engine/out.hpp"

namespace zklock::operations {

class contender_operation;

/// What links a contender with the others: its own, so that none is allocated.
using node_link = boost::intrusive::set_base_hook<boost::intrusive::optimize_size<true>,
                                                  boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

/// The contenders whose nodes may be there, by number: from before the create until the node is known to be gone.
class nodes {
 public:
  void add(contender_operation& one);
  void remove(contender_operation& one);
  /// Null: it is not there (any more).
  [[nodiscard]] contender_operation* find(std::uint64_t number) const;
  [[nodiscard]] std::size_t size() const noexcept;
  void for_each(const std::function<void(const contender_operation&)>& use) const;

  /// Those with a hold that has an owner. One that ends has none any more.
  [[nodiscard]] const std::vector<contender_operation*>& holders() const noexcept { return holders_; }
  void add_holder(contender_operation& one) { holders_.push_back(&one); }
  void remove_holder(const contender_operation& one) noexcept;

  /// Of this session's contenders at a lock node: the same for all that have it. It lives until all have left it, and longer
  /// where it knows the last number (recipes::session_queue::alone).
  [[nodiscard]] recipes::session_queue& enter_queue(const std::string& lock_node);
  void leave_queue(const std::string& lock_node);
  /// Null: there is none.
  [[nodiscard]] recipes::session_queue* find_queue(const std::string& lock_node);
  static constexpr std::size_t kept_queues = 1'024;
  /// More than that are kept without contenders.
  [[nodiscard]] bool keeps_too_many() const noexcept { return kept_.size() > kept_queues; }
  /// Of those kept the one that was left first: which lock node's.
  std::string drop_kept();
  /// Nothing is known of any lock node any more.
  void forget_last_alone();
  /// No watch on a lock node stands any more.
  void lose_lock_node_watches();
  /// Of the calls that wait there, one in `interval` may say so.
  [[nodiscard]] bool may_report(const std::string& lock_node, detail::instant now, std::chrono::nanoseconds interval);
  /// For as long as what is given lives.
  [[nodiscard]] std::shared_ptr<void> keep_queue(const std::string& lock_node);

  /// The first of this session's contenders there, if it holds; else null.
  [[nodiscard]] contender_operation* first_holder(const std::string& lock_node, detail::instant now) const;

  /// Whether it is not known which node stands for the hold, until a request that has failed is repeated.
  [[nodiscard]] bool node_in_doubt(const detail::hold& one) const;
  /// Whether this node, which was seen gone, is known to have been the hold's; else a downgrade was to put it in its place.
  [[nodiscard]] bool was_node_of(const detail::hold& one, const std::string& node) const;
  /// The hold's node was seen gone: its loss is to be told, if the servers say so once more.
  void look_after(const detail::hold& one, engine::out& wants) const;

 private:
  struct number_of {
    using type = std::uint64_t;
    type operator()(const node_link& one) const noexcept;
  };
  using by_number = boost::intrusive::set<node_link, boost::intrusive::key_of_value<number_of>,
                                          boost::intrusive::constant_time_size<false>>;

  mutable by_number contenders_;  ///< it says where a contender is, and has none
  std::vector<contender_operation*> holders_;
  struct shared_queue : boost::intrusive::list_base_hook<> {
    recipes::session_queue queue{};
    std::size_t users = 0;
    detail::instant reported_at = detail::instant::min();
    const std::string* lock_node = nullptr;
  };
  void drop(const std::string& lock_node);

  std::unordered_map<std::string, shared_queue> queues_;
  boost::intrusive::list<shared_queue> kept_;  ///< that have no users, in the order in which they were left
  decltype(queues_)::node_type spare_;         ///< of a queue that all have left: the next one needs no memory
};

}  // namespace zklock::operations
