#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace zklock::recipes {

/// A return code of ZooKeeper, with the numbers that the protocol and the C client use; and one of our own.
/// A server may answer with a number that is not named here; `classify` treats it as not done.
enum class code : std::int32_t {
  too_large = 1,  ///< ours: not sent, since a server would drop the connection over it (F107)
  ok = 0,
  system_error = -1,
  runtime_inconsistency = -2,
  data_inconsistency = -3,
  connection_loss = -4,
  marshalling_error = -5,
  unimplemented = -6,
  operation_timeout = -7,
  bad_arguments = -8,
  invalid_state = -9,
  unknown_session = -12,
  new_config_no_quorum = -13,
  reconfig_in_progress = -14,
  ssl_connection_error = -15,
  api_error = -100,
  no_node = -101,
  no_auth = -102,
  bad_version = -103,
  no_children_for_ephemerals = -108,
  node_exists = -110,
  not_empty = -111,
  session_expired = -112,
  invalid_callback = -113,
  invalid_acl = -114,
  auth_failed = -115,
  closing = -116,
  nothing = -117,
  session_moved = -118,
  not_read_only = -119,
  ephemeral_on_local_session = -120,
  no_watcher = -121,
  request_timeout = -122,
  reconfig_disabled = -123,
  authentication_required = -124,
  quota_exceeded = -125,
  throttled = -127,
};

/// What a code says about the request that it answers.
enum class outcome : std::uint8_t {
  done,          ///< applied (or read)
  not_done,      ///< refused by a server or by the client: nothing was applied, and repeating it unchanged is no help
  retry,         ///< not applied; the same request may be sent again when the connection is there
  unknown,       ///< applied or not: the reply did not come, or says nothing of that (F01, F05, F153)
  session_over,  ///< not applied or gone with its session; the handle is dead
};

/// The one table of return codes (F05). Total: any number has an outcome.
[[nodiscard]] outcome classify(code value) noexcept;

/// Whether a server has done with the request, and has sent this answer. Doubtful: no.
[[nodiscard]] bool answered_by_server(code value) noexcept;
/// Whether the write or sync of this answer has been at the leader (a write: at its quorum too). Doubtful: no.
[[nodiscard]] bool answered_by_leader(code value) noexcept;

/// ZooKeeper's name of the code, as in its documentation: "ZNONODE". "ZUNKNOWN" for a number without a name.
[[nodiscard]] std::string_view name(code value) noexcept;
/// For messages: the name, or "code -130" for a number without one.
[[nodiscard]] std::string described(code value);

}  // namespace zklock::recipes
