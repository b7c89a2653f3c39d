#include "recipes/code.hpp"

namespace zklock::recipes {

outcome classify(code value) noexcept {
  switch (value) {
    case code::ok: return outcome::done;
    case code::connection_loss:
    case code::operation_timeout:
    // A server that could not put its answer together: it may have applied the request before.
    case code::marshalling_error:
    // The C client, when an answer is not the one it waits for: it drops all that are under way.
    case code::runtime_inconsistency:
    // Of clients in Java, or said by none: nothing is known of the request.
    case code::data_inconsistency:
    case code::request_timeout: return outcome::unknown;
    case code::system_error:  // the C client had no socket to send on, or we have not sent it
    case code::session_moved:
    case code::not_read_only:
    case code::throttled: return outcome::retry;
    case code::session_expired:
    case code::invalid_state:
    case code::auth_failed:
    case code::closing: return outcome::session_over;
    default: return outcome::not_done;
  }
}

bool answered_by_server(code value) noexcept {
  switch (value) {
    case code::ok: return true;
    case code::session_expired:  // these may be the client's own words
    case code::auth_failed:
    case code::closing:
    case code::session_moved:
    case code::throttled:
    case code::not_read_only:
    case code::nothing:
    case code::request_timeout:
    case code::invalid_callback: return false;
    default: return static_cast<std::int32_t>(value) <= -100;
  }
}

bool answered_by_leader(code value) noexcept {
  switch (value) {
    case code::ok:
    case code::no_node:
    case code::bad_version:
    case code::no_children_for_ephemerals:
    case code::node_exists:
    case code::not_empty: return true;
    // A follower may refuse by itself what it does not know, what an access list forbids (with enableEagerACLCheck), and
    // what comes from a session that is throttled or over.
    default: return false;
  }
}

std::string_view name(code value) noexcept {
  switch (value) {
    case code::too_large: return "not sent";
    case code::ok: return "ZOK";
    case code::system_error: return "ZSYSTEMERROR";
    case code::runtime_inconsistency: return "ZRUNTIMEINCONSISTENCY";
    case code::data_inconsistency: return "ZDATAINCONSISTENCY";
    case code::connection_loss: return "ZCONNECTIONLOSS";
    case code::marshalling_error: return "ZMARSHALLINGERROR";
    case code::unimplemented: return "ZUNIMPLEMENTED";
    case code::operation_timeout: return "ZOPERATIONTIMEOUT";
    case code::bad_arguments: return "ZBADARGUMENTS";
    case code::invalid_state: return "ZINVALIDSTATE";
    case code::unknown_session: return "ZUNKNOWNSESSION";
    case code::new_config_no_quorum: return "ZNEWCONFIGNOQUORUM";
    case code::reconfig_in_progress: return "ZRECONFIGINPROGRESS";
    case code::ssl_connection_error: return "ZSSLCONNECTIONERROR";
    case code::api_error: return "ZAPIERROR";
    case code::no_node: return "ZNONODE";
    case code::no_auth: return "ZNOAUTH";
    case code::bad_version: return "ZBADVERSION";
    case code::no_children_for_ephemerals: return "ZNOCHILDRENFOREPHEMERALS";
    case code::node_exists: return "ZNODEEXISTS";
    case code::not_empty: return "ZNOTEMPTY";
    case code::session_expired: return "ZSESSIONEXPIRED";
    case code::invalid_callback: return "ZINVALIDCALLBACK";
    case code::invalid_acl: return "ZINVALIDACL";
    case code::auth_failed: return "ZAUTHFAILED";
    case code::closing: return "ZCLOSING";
    case code::nothing: return "ZNOTHING";
    case code::session_moved: return "ZSESSIONMOVED";
    case code::not_read_only: return "ZNOTREADONLY";
    case code::ephemeral_on_local_session: return "ZEPHEMERALONLOCALSESSION";
    case code::no_watcher: return "ZNOWATCHER";
    case code::request_timeout: return "ZREQUESTTIMEOUT";
    case code::reconfig_disabled: return "ZRECONFIGDISABLED";
    case code::authentication_required: return "ZSESSIONCLOSEDREQUIRESASLAUTH";
    case code::quota_exceeded: return "ZQUOTAEXCEEDED";
    case code::throttled: return "ZTHROTTLEDOP";
  }
  return "ZUNKNOWN";
}

std::string described(code value) {
  const std::string_view known = name(value);
  return known == "ZUNKNOWN" ? "code " + std::to_string(static_cast<std::int32_t>(value)) : std::string(known);
}

}  // namespace zklock::recipes
