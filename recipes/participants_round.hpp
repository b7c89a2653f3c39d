#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "recipes/acquire_spec.hpp"
#include "recipes/code.hpp"
#include "recipes/contender_data.hpp"
#include "recipes/contender_name.hpp"
#include "recipes/holders.hpp"
#include "recipes/names_view.hpp"
#include "recipes/permit_limit.hpp"

namespace zklock::recipes {

/// What a round has seen of one contender.
struct seen_contender {
  std::string name{};        ///< of its node, below the path that was asked for: "x-lock-1", "leases/x-lease-1"
  std::int64_t czxid = 0;    ///< 0: the server does not tell
  std::int64_t session = 0;  ///< that owns the node; 0: likewise
  contender_description told{};
  contender_kind kind = contender_kind::mutex;
  layout as = layout::native;
  std::uint32_t permits = 0;  ///< that it wants of a semaphore; 0 in line for a lease: as many as it has not said
  bool holds = false;         ///< by its place, and by its mark
  bool of_this_session = false;
  bool hidden = false;  ///< an access list hides its data
};

/// Which contenders a round looks for.
struct sought_contenders {
  std::optional<contender_kind> kind{};  ///< and those of its recipe; nothing: those of every recipe, in every layout
  layout as = layout::native;
  std::uint32_t lease_limit = 0;  ///< of a semaphore's leases, since no node says how many there may be; 0: not known
  bool names_only = false;        ///< no contender's node is read: what its name says is enough
};
/// Those that contend with one that wants this.
[[nodiscard]] sought_contenders sought_contenders_of(const acquire_spec& one) noexcept;

/// One round of a lock's queue, in one connection: a sync and the list behind it, so that the list is not older than
/// the question (F04), and the lock node's data where permits may stand; then each contender's node, a few at a time.
/// Nodes that go meanwhile are left out (F51). Of a semaphore of Curator's two lists: a contender that goes from the
/// one to the other meanwhile is in one of them at least.
class participants_round {
 public:
  enum class state : std::uint8_t {
    under_way,
    complete,
    interrupted,  ///< has to begin again, when there is a connection
    refused,      ///< by a server; beginning again would not help
  };
  struct node_request {
    std::size_t place;
    bool whole;  ///< with its data; otherwise its stat alone, which no access list hides
  };

  explicit participants_round(const sought_contenders& of);

  // ---- what comes back
  void synced(code answer);
  void listed(code answer, names_view children);
  void limit_read(code answer, std::string_view data);
  void node_read(std::size_t place, code answer, const node_origin& origin, std::string_view data);

  /// The lock node's data are to be asked for as well, behind the sync.
  [[nodiscard]] bool reads_limit() const noexcept { return reads_limit_; }
  /// The next list to ask for, below the path; answered in this order. Nothing: no more, as far as is known.
  std::optional<std::string_view> next_list();
  /// The next node to ask for. Nothing: as many are under way as may be, or there are no more.
  std::optional<node_request> next_node();
  [[nodiscard]] const std::string& name(std::size_t place) const { return queue_[place].name; }

  [[nodiscard]] state now() const noexcept { return state_; }
  [[nodiscard]] code failure() const noexcept { return failure_; }
  /// Complete: the queue, the first first. `session`: the one that asks.
  [[nodiscard]] std::vector<seen_contender> take(std::int64_t session);
  /// Complete: of a semaphore. Nothing: the lock node does not say, or not to us.
  [[nodiscard]] const std::optional<permit_limit>& limit() const noexcept { return limit_; }

 private:
  enum class knowledge : std::uint8_t { none, hidden, gone, all };
  void fail(code answer);
  void list_semaphore();
  void note_listed(std::string_view below, names_view children);
  void begin_to_look();
  void complete_if_all_is_known();

  [[nodiscard]] bool all_listed() const noexcept { return answered_lists_ == lists_.size(); }

  const sought_contenders sought_;
  const bool reads_limit_;
  std::optional<permit_limit> limit_;
  state state_ = state::under_way;
  code failure_ = code::ok;
  std::vector<std::string_view> lists_;  ///< below the path
  std::size_t next_list_ = 0;            ///< the first that has not been asked for
  std::size_t answered_lists_ = 0;
  std::vector<seen_contender> queue_;
  std::vector<knowledge> known_;     ///< of each in `queue_`
  std::vector<std::size_t> hidden_;  ///< whose data an access list hides: their stat is to be asked for
  std::size_t next_ = 0;             ///< the first that has not been asked for
  std::size_t under_way_ = 0;
};

}  // namespace zklock::recipes
