#include "src/errors/error_of.hpp"

#include <string>

namespace zklock::detail {
namespace {

/// What can be done about an answer that its name alone does not tell. Empty: the library's error says it.
std::string_view advice(recipes::code answer) noexcept {
  using recipes::code;
  switch (answer) {
    case code::unimplemented: return "the servers are too old for it";
    case code::bad_arguments: return "a server refuses the path";
    case code::invalid_acl: return "the access list has a scheme or an id that the servers do not take";
    case code::not_read_only: return "the server has no quorum, and only reads";
    case code::ephemeral_on_local_session:
      return "the servers keep sessions local, and let none of them contend: set localSessionsUpgradingEnabled=true "
             "there";
    case code::authentication_required: return "the servers demand credentials: session_options::auth, --auth-file";
    case code::quota_exceeded: return "the quota of the path, or of one above it, is used up";
    default: return {};
  }
}

}  // namespace

std::error_code error_of(recipes::code answer) noexcept {
  using recipes::code;
  switch (answer) {
    case code::ok: return {};
    case code::connection_loss:
    case code::operation_timeout:
    case code::system_error:
    case code::session_moved:
    case code::not_read_only:
    case code::throttled: return errc::not_connected;
    case code::session_expired:
    case code::invalid_state: return errc::session_expired;
    case code::closing: return errc::session_closed;
    case code::auth_failed:
    case code::authentication_required: return errc::authentication_failed;
    case code::no_auth:
    case code::invalid_acl: return errc::permission_denied;
    case code::no_children_for_ephemerals: return errc::lock_node_unusable;
    case code::no_node: return errc::node_missing;
    case code::bad_version: return errc::version_mismatch;
    case code::bad_arguments: return errc::invalid_path;  // what our requests have to be judged are their paths
    case code::too_large: return errc::request_too_large;
    default: return errc::server_error;
  }
}

std::error_code error_of(recipes::refusal why, recipes::code answer) noexcept {
  using recipes::refusal;
  switch (why) {
    case refusal::none:
    case refusal::not_in_time: return {};
    case refusal::abandoned: return errc::abandoned;
    case refusal::closed: return errc::session_closed;
    case refusal::wrong_recipe: return errc::wrong_recipe;
    case refusal::exhausted: return errc::queue_exhausted;
    case refusal::no_permit_limit: return errc::no_permit_limit;
    case refusal::not_a_permit_limit: return errc::not_a_permit_limit;
    case refusal::permit_limit_mismatch: return errc::permit_limit_mismatch;
    case refusal::permit_limit_exceeded: return errc::permit_limit_exceeded;
    case refusal::too_many_watches: return errc::too_many_watches;
    case refusal::server_error: return error_of(answer);
  }
  return errc::server_error;
}

std::string text_of_other_data(std::string_view shown) {
  return "its data is \"" + std::string(shown) + "\", not \"limit=N\"";
}

error error_with(std::error_code ec, recipes::code answer, std::string_view operation, std::string_view path,
                 std::string_view root) {
  std::string text = answer == recipes::code::ok ? std::string() : recipes::described(answer);
  if (const std::string_view what_to_do = advice(answer); !what_to_do.empty()) {
    text.append(": ").append(what_to_do);
  } else if (!text.empty() && !root.empty()) {
    text.append(", in the chroot ").append(root);
  }
  return {ec, operation, path, text};
}

}  // namespace zklock::detail
