#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "recipes/code.hpp"

namespace zklock::recipes {

/// What a server says of a node.
struct node_stat {
  std::int32_t version = 0;
  std::int64_t czxid = 0;
  std::int64_t mzxid = 0;

  bool operator==(const node_stat&) const = default;
};

/// One node, its value, in order.
///
/// A watch is one-shot, and says nothing of the value. So values between two reads are missed, and an absence between two
/// values; the last one never is. No report is older than the one before: values are compared by mzxid, never by version,
/// which starts again with the node, and the first read of a ZooKeeper session waits for its first answered quorum write
/// (session_facts::proven).
///
/// | state    | asked for, or standing                                      | goes on with                          |
/// |----------|-------------------------------------------------------------|---------------------------------------|
/// | resting  | nothing: no connection, or no proof                         | asking, when there are both           |
/// | asking   | get with a watch                                            | watching; looking (no node); refused  |
/// | watching | a watch on the value                                        | asking, by its event; looking, if deleted |
/// | looking  | exists with a watch                                         | absent (no node); asking (a node)     |
/// | absent   | a watch on the creation                                     | asking, by its event                  |
/// | refused  | nothing: a refused get leaves no watch, and a change of an access list fires none | asking, after a pause |
/// | pausing  | nothing: a request has failed though there is a connection  | asking, after a pause                 |
///
/// *Source*: the rules of watches in the ZooKeeper Programmer's Guide.
class followed_node {
 public:
  enum class state : std::uint8_t { resting, asking, watching, looking, absent, refused, pausing };
  enum class command : std::uint8_t {
    none,
    get,     ///< with a watch
    exists,  ///< with a watch
    prove,   ///< that what is known is current: proven() follows
  };
  enum class value : std::uint8_t { unknown, present, absent, refused };
  enum class pause : std::uint8_t {
    none,
    retry,    ///< a request has failed
    poll,     ///< there is no room for a watch: T/12
    refused,  ///< T
  };

  // ---- what is known
  [[nodiscard]] value known() const noexcept { return known_; }
  /// Of the latest value, also where there is none any more.
  [[nodiscard]] const node_stat& stat() const noexcept { return stat_; }
  [[nodiscard]] const std::string& data() const noexcept { return data_; }
  [[nodiscard]] code why_refused() const noexcept { return why_; }
  /// It was shown by an answer behind the last reconnect, or by a watch that stands, and has not fired before that answer.
  [[nodiscard]] bool is_current() const noexcept { return current_; }
  [[nodiscard]] state now() const noexcept { return state_; }
  /// After which timer() is to be called.
  [[nodiscard]] pause waits() const noexcept;

  // ---- what happens. Each gives what is to be asked next.
  /// `proven`: this ZooKeeper session's reads count.
  command connected(bool proven);
  /// What is known is current, unless an event has come that says otherwise.
  command proven();
  void disconnected() noexcept;
  /// All watches are gone.
  void session_over() noexcept;
  /// The answer to a get.
  command got(code answer, const node_stat& stat, std::string_view data);
  /// The answer to an exists.
  command looked(code answer);
  /// Its watch has fired.
  command fired(bool deleted);
  /// There is no room for a watch: what is under way is answered without one.
  void unwatched() noexcept { watched_ = false; }
  /// What this client itself has written was answered.
  void wrote(const node_stat& stat, std::string_view data);
  command timer();

 private:
  command ask() noexcept;
  command look() noexcept;
  command failed(code answer) noexcept;
  void see(value what);

  state state_ = state::resting;
  bool connected_ = false;
  bool current_ = false;
  bool watched_ = true;
  bool first_of_session_ = true;
  value known_ = value::unknown;
  code why_ = code::ok;
  node_stat stat_;
  std::string data_;
};

}  // namespace zklock::recipes
