#include "src/zookeeper/c_types.hpp"

#include <zookeeper/zookeeper.h>

#include <span>

namespace zklock::client {

stat translated(const ::Stat& from) {
  return {.czxid = from.czxid,
          .mzxid = from.mzxid,
          .pzxid = from.pzxid,
          .ephemeral_owner = from.ephemeralOwner,
          .version = from.version,
          .cversion = from.cversion,
          .child_count = from.numChildren};
}

std::vector<acl_entry> translated(const ::ACL_vector& from) {
  std::vector<acl_entry> entries;
  entries.reserve(static_cast<std::size_t>(from.count));
  for (const ::ACL& one : std::span(from.data, static_cast<std::size_t>(from.count))) {
    entries.push_back({one.perms, one.id.scheme, one.id.id});
  }
  return entries;
}

int translated(create_mode mode) {
  switch (mode) {
    case create_mode::persistent: return ZOO_PERSISTENT;
    case create_mode::ephemeral: return ZOO_EPHEMERAL;
    case create_mode::persistent_sequential: return ZOO_PERSISTENT_SEQUENTIAL;
    case create_mode::ephemeral_sequential: return ZOO_EPHEMERAL_SEQUENTIAL;
    case create_mode::container: return ZOO_CONTAINER;
  }
  return -1;  // refused by the C client
}

connection_state state_of(int zoo) {
  if (zoo == ZOO_CONNECTED_STATE) {
    return connection_state::connected;
  }
  if (zoo == ZOO_EXPIRED_SESSION_STATE) {
    return connection_state::expired;
  }
  if (zoo == ZOO_AUTH_FAILED_STATE) {
    return connection_state::auth_failed;
  }
  return connection_state::connecting;  // 0 and 999 between two attempts, and every other number
}

node_event event_of(int type) {
  if (type == ZOO_CREATED_EVENT) {
    return node_event::created;
  }
  if (type == ZOO_DELETED_EVENT) {
    return node_event::deleted;
  }
  if (type == ZOO_CHILD_EVENT) {
    return node_event::children_changed;
  }
  return node_event::changed;  // also "not watching any more", which nothing else would tell: look again
}

struct c_acl::body {
  std::vector<::ACL> entries;
  ::ACL_vector all{};
};

c_acl::c_acl(const acl& from) {
  if (from == acl{acl_entry{}}) {
    return;
  }
  body_ = std::make_unique<body>();
  for (const acl_entry& entry : from) {
    // The C client only reads what it is given here, though its types do not say so.
    body_->entries.push_back(
        {entry.permissions, {const_cast<char*>(entry.scheme.c_str()), const_cast<char*>(entry.id.c_str())}});
  }
  body_->all = {static_cast<std::int32_t>(body_->entries.size()), body_->entries.data()};
}

c_acl::c_acl(c_acl&&) noexcept = default;
c_acl::~c_acl() = default;

const ::ACL_vector* c_acl::get() const noexcept { return body_ ? &body_->all : &ZOO_OPEN_ACL_UNSAFE; }

}  // namespace zklock::client
