#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "recipes/lock_tree.hpp"
#include "recipes/participants_round.hpp"
#include "recipes/permit_limit.hpp"
#include "src/port/client.hpp"

namespace zklock::detail {

/// Who may do what with the first contender, and with the node that it stands below: its lock node, or one of the two of a
/// semaphore in Curator's layout.
struct access_lists {
  std::vector<client::acl_entry> of_folder{};
  std::vector<client::acl_entry> of_first{};
};

/// A lock, or a node that cannot be read.
struct lock_below {
  std::string path;                                ///< "": the root
  std::error_code ec;                              ///< why the rest is empty
  std::vector<recipes::seen_contender> queue{};    ///< the first first
  std::optional<recipes::permit_limit> permits{};  ///< of a semaphore whose lock node says so
  std::vector<std::string> strangers{};            ///< children that are none of these: names
  access_lists access{};                           ///< empty: not asked for, or not shown to us
};

/// One round of all locks at and below a path, in one connection, behind one sync: `recipes::lock_tree` says which nodes to
/// list, a `participants_round` what to ask for of a lock that was found. The answers come in the order of the requests.
class lock_tree_round {
 public:
  enum class state : std::uint8_t {
    under_way,
    complete,
    interrupted,  ///< has to begin again, when there is a connection
    refused,      ///< by a server; beginning again would not help
    too_many_nodes,
  };
  enum class what : std::uint8_t { children, data, stat, access };
  struct request {
    what of;
    std::string path;  ///< "": the root
  };
  /// Enough that the way to the server is not what takes the time.
  static constexpr std::size_t requests_max = 128;

  /// `session`: the one that asks. `with_access`: the access lists, too, by two requests more for each lock.
  lock_tree_round(recipes::lock_tree tree, std::int64_t session, bool with_access = false);
  lock_tree_round(const lock_tree_round&) = delete;
  lock_tree_round& operator=(const lock_tree_round&) = delete;

  /// The next request. Nothing: as many are under way as may be, or no more is known.
  [[nodiscard]] std::optional<request> next();

  // ---- what comes back
  void synced(client::code answer);
  void answered(const client::reply_view& answer);

  [[nodiscard]] state now() const noexcept { return state_; }
  [[nodiscard]] client::code failure() const noexcept { return failure_; }
  [[nodiscard]] std::size_t seen() const noexcept { return tree_.seen(); }
  /// Complete: by path.
  [[nodiscard]] std::vector<lock_below> take();

 private:
  struct found_lock {
    std::string path;
    bool wants_limit;
    std::vector<std::string> strangers{};
    recipes::participants_round queue{{}};
  };
  using lock_ptr = std::shared_ptr<found_lock>;

  std::optional<request> next_of(const lock_ptr& lock);
  void node_listed(const recipes::tree_node& of, const client::reply_view& answer);
  void note_if_ended(const lock_ptr& lock);
  void access_read(std::size_t lock, std::vector<client::acl_entry> access_lists::*list,
                   const client::reply_view& answer);
  void fail(client::code answer);

  struct access_request {
    std::size_t lock;  ///< its place in `found_`
    std::vector<client::acl_entry> access_lists::*list;
    std::string path;
  };

  const std::int64_t session_;
  const bool with_access_;
  recipes::lock_tree tree_;
  std::deque<std::function<void(const client::reply_view&)>> under_way_;  ///< what takes each answer
  std::list<lock_ptr> unended_;                                           ///< whose queues are not complete
  std::deque<access_request> access_to_ask_for_;
  std::vector<lock_below> found_;
  state state_ = state::under_way;
  client::code failure_ = client::code::ok;
};

}  // namespace zklock::detail
