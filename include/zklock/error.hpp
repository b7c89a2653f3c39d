#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

#include <string>
#include <string_view>
#include <system_error>

/// How zklock reports failures.
///
/// A function that can fail throws `zklock::error` (also `std::system_error` where a session is made;
/// fencing_token::number() throws `std::overflow_error`). If the function also has a form with `std::error_code&` as
/// the last parameter, that form sets the code instead (success clears it), and throws no `zklock::error`.
namespace zklock {

/// A failed acquisition adds no hold, and the library removes its contender. More on each code: docs/guide/errors.md.
enum class errc {
  not_connected = 1,    ///< no server answered in time; or commit(): nothing was applied, commit a new transaction
  abandoned,            ///< stop was requested, or the lock object was destroyed. Equals std::errc::operation_canceled
  session_closed,       ///< the session object was closed
  session_expired,      ///< an adopted handle's ZooKeeper session is over: see readopt()
  lost,                 ///< the hold was lost; or a client wrote to the node that guards a commit(): see transaction
  release_unconfirmed,  ///< no server confirms the removal in time; it goes on, but not after close()
  not_owner,            ///< the calling thread, or the view's owner, has no hold; or a grant is empty or released
  would_deadlock,       ///< the call would wait for what can happen only after it returns
  wrong_recipe,         ///< the lock node is in use by another recipe or layout
  queue_exhausted,      ///< the lock node's sequence counter is near its end, or has gone back; delete the lock node
  lock_node_unusable,   ///< the lock node cannot have children (it is ephemeral)
  permission_denied,    ///< an access list forbids what the lock needs
  authentication_failed,  ///< the server has refused the session's credentials
  invalid_path,           ///< not an absolute ZooKeeper path, or one with an empty, `.` or `..` part
  invalid_server_list,    ///< not "host[:port][,host[:port]…][/chroot]"
  invalid_option,         ///< an option is out of its bounds
  unresolvable_host,      ///< no host of the server list has an address
  too_many_watches,       ///< the session has no room for another watch: see docs/guide/limitations.md
  forked,                 ///< a session was used in a child of the process that made it
  node_missing,           ///< a node that has to exist does not exist
  version_mismatch,       ///< a node has another version than the caller named
  node_exists,            ///< the node to be created exists already
  node_not_empty,         ///< the node to be removed has children
  wrong_session,          ///< a guarding grant, or a part of a multi-lock, is of another session object
  request_too_large,      ///< more than a server takes in one request (about 1 MB)
  outcome_unknown,        ///< the answer was lost: the request was done or not, and the library did not repeat it
  no_permit_limit,  ///< the lock node's data are no permit limit; in Curator's layout: this object was made without one
  permit_limit_mismatch,  ///< the servers store another permit limit than this object was made with
  permit_limit_exceeded,  ///< the caller asks for more permits than the semaphore has
  not_a_write_grant,      ///< only a grant of a shared_mutex's write side can be downgraded
  invalid_parts,          ///< a multi-lock has no part, one path twice, or a part with an owner of its own
  not_in_layout,          ///< the lock's layout cannot store this (Curator's layout: a semaphore's permit limit)
  server_error,           ///< ZooKeeper answered with a code that has no errc; the exception's what() has that code
  too_many_nodes,         ///< locks_below() has found more nodes than it reads in one call
};

/// The category of `errc`, named "zklock". Its codes compare equal to the `std::errc` that they resemble.
[[nodiscard]] ZKLOCK_EXPORT const std::error_category& error_category() noexcept;
[[nodiscard]] ZKLOCK_EXPORT std::error_code make_error_code(errc code) noexcept;

/// Whether a repeated call may succeed without an intervention by a person. After commit(), repeat it with a new
/// transaction. After errc::release_unconfirmed, repeat nothing: the library itself repeats the removal.
[[nodiscard]] ZKLOCK_EXPORT bool is_transient(const std::error_code& ec) noexcept;
/// Whether the servers may have done the request although the call reports a failure.
[[nodiscard]] ZKLOCK_EXPORT bool may_have_applied(const std::error_code& ec) noexcept;
/// Whether the session is over, and every hold in it is lost.
[[nodiscard]] ZKLOCK_EXPORT bool ends_session(const std::error_code& ec) noexcept;

/// The exception that the library throws. It has the code, the operation that failed, and the path (or, if an argument
/// was refused, the value). `what()` has all three and, if ZooKeeper has answered with a code, the name of that code:
/// "acquire /locks/orders (ZNOAUTH): an access list forbids it".
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
