#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <zklock/grant.hpp>
#include <zklock/session.hpp>

namespace zklock {

namespace detail {
struct transaction_draft;
}

/// The server appends ten digits to the path of a sequential node, and removes an ephemeral one when the session ends.
enum class create_mode : std::uint8_t { persistent, ephemeral, persistent_sequential, ephemeral_sequential };

inline constexpr std::int32_t any_version = -1;  ///< the node only has to be there

/// What one operation of a transaction came to.
struct operation_result {
  std::string path;                    ///< of a create: with its number
  std::int32_t version = any_version;  ///< of a create or a set: the node's, from now on

  bool operator==(const operation_result&) const = default;
};

/// Writes that are done all together or not at all, and only while the grants that guard them stand on the servers.
///
///     if (zklock::grant g = orders.acquire(); g.held()) {
///       session.transaction()
///           .guarded_by(g)
///           .set("/orders/next", bytes)
///           .create("/orders/done/7", receipt)
///           .commit();                           // errc::lost if the lock was lost; then nothing was written
///     }
///
/// How a commit ends:
///
/// | error                          | applied | because                                                             |
/// |--------------------------------|---------|---------------------------------------------------------------------|
/// | none                           | yes     |                                                                     |
/// | lost                           | no      | a guard is past its deadline, or its node is gone (native write grant: or was written to) |
/// | node_missing, version_mismatch | no      | of the operation whose path the error names                         |
/// | node_exists, node_not_empty    | no      | the same                                                            |
/// | permission_denied              | no      | the same, or of a guard's node                                      |
/// | not_connected                  | no      | no server, it refused the request for now, or a guard's downgrade is not confirmed |
/// | **outcome_unknown**            | **?**   | the answer was lost; may_have_applied() is true                     |
/// | not_owner                      | no      | a guard is an empty grant, or was given back meanwhile              |
/// | wrong_session                  | no      | a guard is of another session object                                |
/// | invalid_path, invalid_option   | no      | of the value that the error names                                   |
/// | request_too_large              | no      | it is more than about 1 MB                                          |
///
/// Other errors are those of acquire(); nothing was applied then.
///
/// *Blocking*: commit() waits for an answer or a lost connection, at the longest 2/3 of the session timeout. In
/// callbacks of the program's ZooKeeper handle: errc::would_deadlock. *Threads*: one at a time. *Errors*: an invalid
/// argument is reported by commit(), not by create(), set() and so on: the first one, with operation and path; nothing
/// is sent then. *Ownership*: a guard is the hold, until the last of its grants is released; the grant may be moved
/// before commit(). *Unknown outcome*: never sent twice. Final once the next holder is granted the lock: applied
/// before, or never. *Lifetime*: may outlive session, grants and locks; of no use once committed. *Cost*: one request,
/// one round trip. *Source*: the ownership guard of etcd's concurrency package. See docs/guide/guarded_writes.md.
class [[nodiscard]] ZKLOCK_EXPORT transaction {
 public:
  transaction(transaction&& other) noexcept;
  transaction& operator=(transaction&& other) noexcept;
  ~transaction();

  /// Apply it only while this grant's lock is held. Any number of grants, all of this session. Without a grant the
  /// transaction is unconditional.
  transaction& guarded_by(const grant& by) &;
  [[nodiscard]] transaction&& guarded_by(const grant& by) &&;

  /// With the session's access list. The parent has to exist.
  transaction& create(std::string_view path, std::string_view data = {}, create_mode mode = create_mode::persistent) &;
  [[nodiscard]] transaction&& create(std::string_view path, std::string_view data = {},
                                     create_mode mode = create_mode::persistent) &&;
  transaction& set(std::string_view path, std::string_view data, std::int32_t version = any_version) &;
  [[nodiscard]] transaction&& set(std::string_view path, std::string_view data, std::int32_t version = any_version) &&;
  transaction& remove(std::string_view path, std::int32_t version = any_version) &;
  [[nodiscard]] transaction&& remove(std::string_view path, std::int32_t version = any_version) &&;
  transaction& check(std::string_view path, std::int32_t version = any_version) &;
  [[nodiscard]] transaction&& check(std::string_view path, std::int32_t version = any_version) &&;

  /// The results in the order of the calls.
  std::vector<operation_result> commit();
  std::vector<operation_result> commit(std::error_code& ec);  ///< empty with an error

 private:
  friend class session;
  explicit transaction(std::shared_ptr<detail::session_impl> session);

  std::unique_ptr<detail::transaction_draft> draft_;  ///< null once it is committed, or moved from
};

}  // namespace zklock
