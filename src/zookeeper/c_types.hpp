#pragma once

#include <memory>
#include <vector>

#include "src/port/client.hpp"

struct ACL_vector;
struct Stat;

/// The C client's types and ours.
namespace zklock::client {

[[nodiscard]] stat translated(const ::Stat& from);
[[nodiscard]] std::vector<acl_entry> translated(const ::ACL_vector& from);
/// The C client's number of a mode.
[[nodiscard]] int translated(create_mode mode);
/// Of the C client's number of a state, of a watch event.
[[nodiscard]] connection_state state_of(int zoo);
[[nodiscard]] node_event event_of(int type);

/// An access list as the C client wants it. The list given must outlive it.
class c_acl {
 public:
  explicit c_acl(const acl& from);
  c_acl(c_acl&&) noexcept;
  ~c_acl();
  [[nodiscard]] const ::ACL_vector* get() const noexcept;

 private:
  struct body;
  std::unique_ptr<body> body_;  // null: the default list, open to any client
};

}  // namespace zklock::client
