#include <zklock/error.hpp>

namespace zklock {
namespace {

class category final : public std::error_category {
 public:
  [[nodiscard]] const char* name() const noexcept override { return "zklock"; }

  [[nodiscard]] std::string message(int value) const override {
    switch (static_cast<errc>(value)) {
      case errc::not_connected: return "no server answered in time";
      case errc::abandoned: return "abandoned";
      case errc::session_closed: return "the session is closed";
      case errc::session_expired: return "the ZooKeeper session has expired";
      case errc::lost: return "the hold was lost";
      case errc::release_unconfirmed: return "no server has confirmed the release yet";
      case errc::not_owner: return "its owner does not hold the lock";
      case errc::would_deadlock: return "waiting here could never end";
      case errc::wrong_recipe: return "the lock node is in use by another recipe";
      case errc::queue_exhausted:
        return "the lock node's sequence counter is near its end, or has given a number twice; delete the lock node";
      case errc::lock_node_unusable: return "the lock node is ephemeral and can have no contenders";
      case errc::permission_denied: return "an access list forbids it";
      case errc::authentication_failed: return "the server has refused the credentials";
      case errc::invalid_path: return "not a valid ZooKeeper path";
      case errc::invalid_server_list: return "not a valid server list (host[:port][,host[:port]...][/chroot])";
      case errc::invalid_option: return "out of bounds";
      case errc::unresolvable_host: return "no host of the server list can be resolved";
      case errc::too_many_watches: return "the session watches as many nodes as a reconnect can carry";
      case errc::forked: return "a session cannot be used in a forked child";
      case errc::node_missing: return "the node does not exist";
      case errc::version_mismatch: return "the node has another version";
      case errc::node_exists: return "the node exists already";
      case errc::node_not_empty: return "the node has children";
      case errc::wrong_session: return "the grant, or the part, is of another session";
      case errc::request_too_large: return "more than a server takes in one request";
      case errc::outcome_unknown: return "the answer was lost: it may have been done";
      case errc::no_permit_limit: return "no permit limit has been set";
      case errc::permit_limit_mismatch: return "the semaphore has another number of permits";
      case errc::permit_limit_exceeded: return "more permits are wanted than the semaphore has";
      case errc::not_a_write_grant: return "only the grant of a write lock can be downgraded";
      case errc::invalid_parts: return "a multi-lock needs locks, and each of them once";
      case errc::not_in_layout: return "the layout of the lock has no place for it";
      case errc::too_many_nodes: return "below the path are more nodes than one call takes";
      case errc::not_a_permit_limit:
        return "the lock node has other data than a permit limit; take another path, or empty the node";
      case errc::server_error: return "ZooKeeper answered with an error";
    }
    return "unknown zklock error " + std::to_string(value);
  }

  [[nodiscard]] std::error_condition default_error_condition(int value) const noexcept override {
    switch (static_cast<errc>(value)) {
      case errc::not_connected: return std::errc::not_connected;
      case errc::abandoned: return std::errc::operation_canceled;
      case errc::not_owner: return std::errc::operation_not_permitted;
      case errc::would_deadlock: return std::errc::resource_deadlock_would_occur;
      case errc::permission_denied: return std::errc::permission_denied;
      case errc::node_exists: return std::errc::file_exists;
      case errc::node_not_empty: return std::errc::directory_not_empty;
      case errc::request_too_large: return std::errc::message_size;
      case errc::not_in_layout: return std::errc::operation_not_supported;
      case errc::wrong_session:
      case errc::permit_limit_exceeded:
      case errc::not_a_write_grant:
      case errc::invalid_parts:
      case errc::invalid_path:
      case errc::invalid_server_list:
      case errc::invalid_option: return std::errc::invalid_argument;
      default: return {value, *this};
    }
  }
};

std::string describe(std::string_view operation, std::string_view path, std::string_view answer) {
  std::string text{operation};
  if (!path.empty()) {
    text += text.empty() ? "" : " ";
    text += path;
  }
  if (!answer.empty()) {
    text.append(" (").append(answer).append(")");
  }
  return text;
}

}  // namespace

const std::error_category& error_category() noexcept {
  static const auto& instance = *new category;  // never destroyed: a static session asks it while the program exits
  return instance;
}

std::error_code make_error_code(errc code) noexcept { return {static_cast<int>(code), error_category()}; }

bool is_transient(const std::error_code& ec) noexcept {
  return ec == errc::not_connected || ec == errc::release_unconfirmed || ec == errc::too_many_watches;
}

bool may_have_applied(const std::error_code& ec) noexcept {
  return ec == errc::release_unconfirmed || ec == errc::outcome_unknown;
}

bool ends_session(const std::error_code& ec) noexcept {
  return ec == errc::session_closed || ec == errc::session_expired || ec == errc::authentication_failed;
}

error::~error() = default;

error::error(std::error_code ec, std::string_view operation, std::string_view path, std::string_view answer)
    : std::system_error(ec, describe(operation, path, answer)), operation_(operation), path_(path) {}

}  // namespace zklock
