#pragma once

#include <cstdint>
#include <string_view>

#include "recipes/acquire_spec.hpp"
#include "recipes/code.hpp"
#include "recipes/contender_data.hpp"
#include "recipes/names_view.hpp"
#include "recipes/node_name.hpp"
#include "recipes/permit_limit.hpp"

namespace zklock::recipes {

/// What has barred the last try of a lock object, in the session with this id.
struct seen_bar {
  std::int64_t session = 0;  ///< 0: nothing has
  heap_text name{};          ///< of the node; empty: no single one has
};

/// Whether a lock is busy, asked by one read: for a try, before it makes a node. It bars
///   - a mutex's contender, or a writer: the node that has barred the last try, if it stands: whatever comes stands behind it;
///   - a reader: likewise, if it is a writer's whose data do not say that it reads by now;
///   - permits: the contenders in a list, if they leave too few of the limit, and that was not written since it was read;
///   - permits in Curator's layout: the leases in a list, if they leave too few.
/// Else nothing is decided: the try makes its node, as the recipe has it.
///
/// "Busy" is as old as what the server has seen that was asked: no older than this session's own requests, perhaps older than
/// another client's release. So it is never said of a node of another session of the own process, whose release the caller may
/// know of. A try has no place in the queue, so its order is untouched.
class busy_look {
 public:
  enum class next : std::uint8_t {
    read,     ///< the node `name()`
    list,     ///< the lock node; for leases the node that they stand in
    busy,     ///< `name()` bars, if that is not empty
    contend,  ///< nothing is known
  };

  explicit busy_look(const acquire_spec& wanted) noexcept : wanted_(wanted) {}

  /// `bar`: seen in this session, or nothing. `always`: also if nothing was seen.
  [[nodiscard]] next begin(const seen_bar& bar, bool always);
  /// `of_own_process`: of another session of it.
  [[nodiscard]] next read(code answer, contender_mode mode, bool of_own_process) const noexcept;
  /// `limit`: as it was read last; `written`: the list's mzxid.
  [[nodiscard]] next listed(code answer, names_view children, const limit_node& limit, std::int64_t written);

  [[nodiscard]] std::string_view name() const noexcept { return name_; }
  /// Of several nodes, which a list shows without their sessions.
  [[nodiscard]] bool counts() const noexcept { return wanted_.kind == contender_kind::permit; }
  [[nodiscard]] bool of_leases() const noexcept { return counts() && wanted_.as == layout::curator; }

 private:
  [[nodiscard]] bool too_few_left(names_view children, const limit_node& limit, std::int64_t written) const noexcept;

  const acquire_spec wanted_;
  heap_text name_;
};

/// Of the contenders of the wanted one's recipe the first that bars it, by name alone: of a reader the last writer. Empty: none.
[[nodiscard]] std::string_view first_bar(names_view children, const acquire_spec& wanted, std::string_view own = {});

}  // namespace zklock::recipes
