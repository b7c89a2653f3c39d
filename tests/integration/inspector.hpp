#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/port/client.hpp"
#include "tests/integration/recorder.hpp"

namespace zklock::test {

/// An operator's look at a server, through a session of its own: what is there, and a hand to change it. Throws
/// std::runtime_error when the server answers with what was not to be expected.
class inspector {
 public:
  /// The credentials are for digest authentication: "user:password".
  explicit inspector(const std::string& servers, const std::string& credentials = {});
  inspector(const inspector&) = delete;
  inspector& operator=(const inspector&) = delete;
  ~inspector();

  /// Nothing when there is no such node.
  [[nodiscard]] std::optional<client::stat> look(const std::string& path);
  /// Empty when there is no such node.
  [[nodiscard]] std::vector<std::string> children(const std::string& path);
  [[nodiscard]] std::string data(const std::string& path);
  /// With all that is above it. Returns the full name.
  std::string create(const std::string& path, client::create_mode mode = client::create_mode::persistent,
                     const client::acl& acl = {client::acl_entry{}});
  /// False when it was not there.
  bool remove(const std::string& path);
  void remove_tree(const std::string& path);
  /// Every ephemeral node below `path`.
  [[nodiscard]] std::vector<std::string> ephemerals_below(const std::string& path);

  [[nodiscard]] client::reply ask(client::any_request what);
  [[nodiscard]] std::int64_t session_id() const;

 private:
  client::reply expect(client::any_request what, std::string_view path, client::code also);

  recorder told_;
  std::unique_ptr<client::connection> to_;
  std::atomic<client::request_id> last_ = 0;
};

}  // namespace zklock::test
