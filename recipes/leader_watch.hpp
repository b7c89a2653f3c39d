#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "recipes/code.hpp"
#include "recipes/contender_name.hpp"
#include "recipes/followed_node.hpp"
#include "recipes/names_view.hpp"

namespace zklock::recipes {

/// Which candidate a list of an election's children shows as the first.
struct first_candidate {
  enum class finding : std::uint8_t {
    none,   ///< there is no candidate
    found,  ///< `name`
    mixed,  ///< contenders of two kinds, which do not exclude each other, or of something that is no election
  };
  finding is = finding::none;
  std::string_view name{};  ///< points into the list
};

/// Candidates are the contenders of a mutex, or those of a LeaderLatch. Children that are no contenders are ignored (F49).
[[nodiscard]] first_candidate first_candidate_of(names_view children) noexcept;

/// The first in an election's queue, as an observer sees it.
struct seen_leader {
  std::string node{};        ///< its name
  std::int64_t czxid = 0;    ///< its token
  std::int64_t mzxid = 0;    ///< of its last proclamation
  std::int64_t session = 0;  ///< that has made it
  bool hidden = false;       ///< an access list hides its data
  std::string data{};

  bool operator==(const seen_leader&) const = default;
};

/// The head of a queue, in order: who is first, or that nobody is.
///
/// Only the first one's node is watched, so what others do costs nothing. Between its end and the next list terms may be
/// missed; the last one never is. The tokens only grow: a ZooKeeper session's reads wait for its first answered quorum write,
/// as in followed_node, and never go back behind it.
///
/// | state      | asked for, or standing                            | goes on with                                     |
/// |------------|---------------------------------------------------|--------------------------------------------------|
/// | resting    | nothing: no connection, or no proof               | listing, when there are both                     |
/// | listing    | list                                              | reading; watching_children (none, or two kinds); looking (no path); refused |
/// | watching_children | list with a watch, sent or answered; `nobody_`, `mixed_` | listing, by its event; reading (one came meanwhile) |
/// | looking    | exists of the path, with a watch                  | no_path; listing (it is there)                   |
/// | no_path    | a watch on the path's creation                    | listing, by its event                            |
/// | reading    | get of the first, with a watch                    | following; listing (it has gone); peeking (hidden) |
/// | following  | a watch on the first                              | reading, by a change; listing, by its end        |
/// | peeking    | exists of the first, with a watch: stat alone     | hidden; listing (it has gone)                    |
/// | hidden     | a watch on the first, whose event newer servers keep to themselves (F201) | listing, by its event or after a pause |
/// | refused    | nothing                                           | listing, after a pause                           |
/// | pausing    | nothing: a request has failed though there is a connection | listing, after a pause                  |
///
/// *Source*: "Leader Election" in ZooKeeper's recipes.
class leader_watch {
 public:
  enum class state : std::uint8_t {
    resting,
    listing,
    watching_children,
    looking,
    no_path,
    reading,
    following,
    peeking,
    hidden,
    refused,
    pausing
  };
  enum class command : std::uint8_t {
    none,
    list,         ///< without a watch
    list_watch,   ///< of the children
    exists_path,  ///< with a watch
    get_first,    ///< `asked_for()`, with a watch
    exists_first,
    prove,
  };
  enum class value : std::uint8_t { unknown, present, absent, refused, mixed };
  using pause = followed_node::pause;

  // ---- what is known
  [[nodiscard]] value known() const noexcept { return known_; }
  /// The latest one, also when there is none any more.
  [[nodiscard]] const seen_leader& leader() const noexcept { return leader_; }
  [[nodiscard]] code why_refused() const noexcept { return why_; }
  /// As followed_node::is_current().
  [[nodiscard]] bool is_current() const noexcept { return current_; }
  [[nodiscard]] state now() const noexcept { return state_; }
  /// The name of the node that get_first and exists_first are of.
  [[nodiscard]] const std::string& asked_for() const noexcept { return first_; }
  /// After which timer() is to be called.
  [[nodiscard]] pause waits() const noexcept;

  // ---- what happens. Each gives what is to be asked next.
  command connected(bool proven);
  command proven();
  void disconnected() noexcept;
  void session_over() noexcept;
  /// The answer to a list, of either kind.
  command listed(code answer, names_view children);
  command looked_for_path(code answer);
  /// The answer to get_first; `hidden`: to exists_first. `seen.node` is not read.
  command got(code answer, const seen_leader& seen);
  /// A watch has fired.
  command fired(bool deleted);
  /// There is no room for a watch: what is under way is answered without one.
  void unwatched() noexcept { watched_ = false; }
  command timer();

 private:
  [[nodiscard]] bool is_watching() const noexcept;
  command list() noexcept;
  command ask(state next, command what) noexcept;
  command failed(code answer) noexcept;
  void see(value what) noexcept;

  state state_ = state::resting;
  bool connected_ = false;
  bool current_ = false;
  bool watched_ = true;
  bool listed_ = false;  ///< watching_children: it is answered
  bool first_of_session_ = true;
  value known_ = value::unknown;
  code why_ = code::ok;
  std::string first_;
  seen_leader leader_;
};

}  // namespace zklock::recipes
