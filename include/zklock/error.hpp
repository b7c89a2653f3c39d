#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

#include <string>
#include <string_view>
#include <system_error>

/// What can go wrong, in the words of the caller.
///
/// A function that can fail throws `zklock::error`. If it has a form with `std::error_code&` as the last parameter,
/// that form sets the code instead.
namespace zklock {

/// An acquisition that fails adds no hold, and its contender is removed. Each code: docs/guide/errors.md.
enum class errc {
  not_connected = 1,    ///< no server answered within the time limit
  abandoned,            ///< stop was requested, or the lock object was destroyed. Equals std::errc::operation_canceled
  session_closed,       ///< the session object was closed
  session_expired,      ///< the ZooKeeper session ended, and the session object has no new one (adopted handles)
  lost,                 ///< the hold was lost before it was released
  release_unconfirmed,  ///< no server has confirmed the removal in time; it goes on
  not_owner,            ///< the owner (of the std names the calling thread) does not hold this lock
  would_deadlock,       ///< waiting here could never end
  wrong_recipe,         ///< the lock node is in use by another recipe
  queue_exhausted,      ///< the lock node's sequence counter is near its end (2^31 contenders); delete the lock node
  lock_node_unusable,   ///< the lock node cannot have children (it is ephemeral)
  permission_denied,    ///< an access list forbids what the lock needs
  authentication_failed,  ///< the server has refused the session's credentials
  invalid_path,           ///< not an absolute ZooKeeper path without empty, `.` or `..` parts
  invalid_server_list,    ///< not "host[:port][,host[:port]…][/chroot]"
  invalid_option,         ///< an option is out of its bounds
  unresolvable_host,      ///< no host of the server list has an address
  too_many_watches,       ///< the session watches as many nodes as a reconnect can carry
  forked,                 ///< a session was used in a child of the process that made it
  node_missing,           ///< a node that was to be there is not
  version_mismatch,       ///< a node has another version than the one asked for
  node_exists,            ///< a node that was to be made is there already
  node_not_empty,         ///< a node that was to be removed has children
  wrong_session,          ///< a grant, or a part, is of another session object
  request_too_large,      ///< more than a server takes in one request (about 1 MB)
  outcome_unknown,        ///< the answer was lost: it was done or not, and was not tried again
  no_permit_limit,        ///< the semaphore's lock node does not say how many permits there are, nor does the caller
  permit_limit_mismatch,  ///< the semaphore has another number of permits than this object says
  permit_limit_exceeded,  ///< more permits are wanted than the semaphore has
  not_a_write_grant,      ///< only a grant of a shared_mutex's write side can be downgraded
  invalid_parts,          ///< a multi-lock has no parts, or one lock twice
  not_in_layout,          ///< the lock's layout has no place for it (a semaphore's permit limit, in Curator's)
  server_error,           ///< a code that has no name of its own here; what() of the exception has ZooKeeper's
  too_many_nodes,         ///< below a path are more nodes than locks_below() takes
};

/// The category of `errc`, named "zklock". Its codes compare equal to the `std::errc` that they resemble.
[[nodiscard]] ZKLOCK_EXPORT const std::error_category& error_category() noexcept;
[[nodiscard]] ZKLOCK_EXPORT std::error_code make_error_code(errc code) noexcept;

/// Whether the same call may succeed later, with nothing changed.
[[nodiscard]] ZKLOCK_EXPORT bool is_transient(const std::error_code& ec) noexcept;
/// Whether the request may have been done although it is reported as failed: its answer was lost.
[[nodiscard]] ZKLOCK_EXPORT bool may_have_applied(const std::error_code& ec) noexcept;
/// Whether the ZooKeeper session is over, and with it everything that was held in it.
[[nodiscard]] ZKLOCK_EXPORT bool ends_session(const std::error_code& ec) noexcept;

/// What every throwing function of the library throws: the code, the operation that failed, and the path (or, for bad
/// input, the value) that it failed on. `what()` has all three, and ZooKeeper's name of the error code where there was
/// one: "acquire /locks/orders (ZNOAUTH): an access list forbids it".
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
