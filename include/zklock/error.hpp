#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

#include <string>
#include <string_view>
#include <system_error>

/// How zklock reports failures. A function that can fail throws zklock::error. Where it also throws another exception,
/// its comment says so. A form whose last parameter is `std::error_code&` sets the code instead; success clears it.
/// Without memory either form throws std::bad_alloc, or the program ends: docs/guide/errors.md says when.
namespace zklock {

/// What to do on each code: docs/guide/errors.md. A failed acquisition adds no hold.
enum class errc {
  not_connected = 1,    ///< no server answered in time
  abandoned,            ///< a stop was requested, or the lock object was destroyed
  session_closed,       ///< the session object was closed
  session_expired,      ///< an adopted handle's ZooKeeper session is over: readopt()
  lost,                 ///< the hold was lost; from commit(): see transaction
  release_unconfirmed,  ///< no server has confirmed the node's removal in time; do nothing
  not_owner,            ///< the thread, or the owner given to as(), has no hold; or the grant is empty or released
  would_deadlock,       ///< the call would wait for what can happen only after it returns
  wrong_recipe,         ///< the lock node is in use by another recipe or layout
  queue_exhausted,     ///< the lock node's counter is near its end, or has gone back: delete the node when it is unused
  lock_node_unusable,  ///< the lock node, or one above it, is ephemeral
  permission_denied,   ///< an access list forbids what the lock needs
  authentication_failed,  ///< the servers refuse the session's credentials, or demand some
  invalid_path,         ///< no absolute path; an empty, `.` or `..` part; or a character that ZooKeeper does not allow
  invalid_server_list,  ///< not "host[:port][,host[:port]…][/chroot]"
  invalid_option,       ///< an option is out of its bounds
  unresolvable_host,    ///< no host of the server list has an address
  too_many_watches,     ///< the session has no room for another watch: docs/guide/limitations.md
  forked,               ///< a child of fork() used a session of its parent
  node_missing,         ///< a node does not exist
  version_mismatch,     ///< a node has another version
  node_exists,          ///< a node exists already
  node_not_empty,       ///< a node has children
  wrong_session,        ///< a guard, or a part of a multi-lock, is of another session object
  request_too_large,    ///< more than about 1 MB
  outcome_unknown,      ///< the answer was lost: the request was done or not
  no_permit_limit,      ///< the servers (in Curator's layout: this object) have no permit limit
  permit_limit_mismatch,  ///< the servers store another permit limit than this object expects
  permit_limit_exceeded,  ///< more permits are asked for than the semaphore has
  not_a_write_grant,      ///< downgrade() of a grant that is not of a shared_mutex's write side
  invalid_parts,          ///< of a multi-lock: no part, one path twice, or a part `x.as(o)`, for example
  not_in_layout,          ///< Curator's layout stores no permit limit
  server_error,           ///< ZooKeeper answered with another code, which what() has
  too_many_nodes,         ///< locks_below() has met more than 250,000 nodes
  not_a_permit_limit,     ///< the lock node has other data than a permit limit, which what() shows
};

/// The category "zklock". Its codes compare equal to the `std::errc` that they resemble.
[[nodiscard]] ZKLOCK_EXPORT const std::error_category& error_category() noexcept;
[[nodiscard]] ZKLOCK_EXPORT std::error_code make_error_code(errc code) noexcept;

/// Whether a repeated call may succeed without an intervention by a person. After commit(), repeat with a new
/// transaction. After errc::release_unconfirmed, do nothing.
[[nodiscard]] ZKLOCK_EXPORT bool is_transient(const std::error_code& ec) noexcept;
/// Whether the servers may have done what the call reports as failed.
[[nodiscard]] ZKLOCK_EXPORT bool may_have_applied(const std::error_code& ec) noexcept;
/// Whether the session is over, and every hold in it is lost.
[[nodiscard]] ZKLOCK_EXPORT bool ends_session(const std::error_code& ec) noexcept;

/// What the library throws: the code, the operation that failed, and the path, or the value that was refused. `what()`
/// has all of them, and ZooKeeper's own code if there is one: "acquire /locks/orders (ZNOAUTH): an access list forbids
/// it".
class ZKLOCK_EXPORT error : public std::system_error {
 public:
  error(std::error_code ec, std::string_view operation, std::string_view path, std::string_view answer = {});
  error(errc code, std::string_view operation, std::string_view path) : error(make_error_code(code), operation, path) {}
  error(const error&) = default;
  error(error&&) = default;
  error& operator=(const error&) = default;
  error& operator=(error&&) = default;
  ~error() override;

  [[nodiscard]] const std::string& operation() const noexcept { return operation_; }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  std::string operation_;
  std::string path_;
};

}  // namespace zklock

namespace std {
template <>
struct is_error_code_enum<zklock::errc> : true_type {};
}  // namespace std
