#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/port/client.hpp"
#include "src/testing/messages.hpp"

namespace zklock::testing {

/// The watches of one handle, by path: those that a server has set, or had set before the connection was lost.
class client_watches {
 public:
  using kind = client::connection::watch_kind;

  /// A request with a watch was answered: the watch is set if the answer allows it.
  void answered(kind what, const std::string& path, client::watch_id id, client::code answer);
  /// The caller is no longer interested.
  void forget(kind what, std::string_view path, client::watch_id id);
  /// The watches that an event fires, each once: they are gone.
  [[nodiscard]] std::vector<client::watch_id> fire(const std::string& path, client::node_event event);
  void clear() noexcept;

  [[nodiscard]] bool empty() const noexcept { return data_.empty() && exist_.empty() && child_.empty(); }
  [[nodiscard]] std::size_t count() const;
  /// What a new connection asks its server to watch.
  [[nodiscard]] upward::watch_lists paths(std::int64_t seen) const;

 private:
  using table = std::map<std::string, std::vector<client::watch_id>, std::less<>>;

  table data_, exist_, child_;
};

}  // namespace zklock::testing
