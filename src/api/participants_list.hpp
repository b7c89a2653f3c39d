#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <zklock/options.hpp>
#include <zklock/participants.hpp>
#include <zklock/queue.hpp>
#include <zklock/session.hpp>
#include <zklock/view.hpp>

#include "recipes/participants_round.hpp"
#include "src/api/session_impl.hpp"
#include "src/operations/acquire_request.hpp"
#include "src/operations/locks_below.hpp"

namespace zklock::detail {

/// A queue as a program is given it. `path`: of the lock node; "" for the root.
[[nodiscard]] std::vector<participant> participants_of(std::vector<recipes::seen_contender>&& seen,
                                                       const std::string& path);

/// What has blocked a try of that side: read, unless it was. Empty: it is not known, has gone, or no answer came in time.
[[nodiscard]] participant look_at_blocker(const std::shared_ptr<session_impl>& in,
                                          const operations::blocking_node& blocker, side of, instant until,
                                          const std::stop_token& stop);

/// The contenders at a lock node.
struct participants_list {
  std::vector<participant> queue;
  std::optional<std::int64_t> limit;  ///< of the native permits, if the lock node says one
  std::size_t before_us = 0;          ///< as many stand before the first of this session; all, if none is of it
};

/// The contenders for what the view stands for, as its lock's queue() has them; within `limit`. Throws as that does.
[[nodiscard]] participants_list list_queue(const lock_view& of, std::chrono::milliseconds limit);
/// The same by their names alone, in one list however many there are: as if all stood before this session.
[[nodiscard]] std::vector<participant> list_names(const lock_view& of, std::chrono::milliseconds limit);

/// Of a path of which the recipe is not known: they are told from the children themselves, and of Curator's semaphore
/// from those of the child `leases` and its neighbour. At the longest `options.try_time_limit`. Throws as a lock's queue()
/// does.
[[nodiscard]] participants_list list_lock(session& session, std::string_view path, const lock_options& options);

/// What a participant leaves out.
struct inspected_node {
  std::int64_t session = 0;  ///< 0: persistent, or not known
  std::int64_t number = 0;   ///< that ZooKeeper has appended to its name
  bool hidden = false;       ///< an access list hides its data
};

/// A lock with what a listing leaves out.
struct inspected_lock {
  listed_lock lock;
  std::vector<inspected_node> nodes{};   ///< of each participant
  std::vector<std::string> strangers{};  ///< names of children that are no contenders
  access_lists access{};                 ///< asked for by `options`
  std::int64_t permits_at_most = 0;  ///< the highest limit under which any of them may have been granted; 0: not known
};

/// Throws errc::invalid_path.
void require_node_path(std::string_view path);
/// Of which lock that node is a contender's, by its name. Empty: it has no contender's name.
[[nodiscard]] std::string_view lock_by_name_of(std::string_view node);

/// As locks_below().
[[nodiscard]] std::vector<inspected_lock> inspect_below(session& in, std::string_view path,
                                                        std::chrono::milliseconds time_limit,
                                                        const operations::locks_below_options& options = {});

}  // namespace zklock::detail
