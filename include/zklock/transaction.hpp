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
namespace calls {
struct commit;
}  // namespace calls
}  // namespace detail

/// The server appends ten digits to the path of a sequential node, and removes an ephemeral node when the session ends.
enum class create_mode : std::uint8_t { persistent, ephemeral, persistent_sequential, ephemeral_sequential };

inline constexpr std::int32_t any_version = -1;  ///< the node has to exist, with any version

/// The result of one create(), set(), remove() or check().
struct operation_result {
  std::string path;                    ///< the operation's path; that of a sequential node has its number
  std::int32_t version = any_version;  ///< after a create() or set(): the node's new version; else any_version

  bool operator==(const operation_result&) const = default;
};

/// Writes that the servers apply all or none, and only while the holds of its guards stand.
///
///     if (zklock::grant g = orders.acquire(); g.held()) {
///       session.transaction()
///           .guarded_by(g)
///           .set("/orders/next", bytes)
///           .create("/orders/done/7", receipt)
///           .commit();                           // if the lock is lost: errc::lost, and nothing is written
///     }
///
/// How a commit ends:
///
/// | error                          | applied | because                                                           |
/// |--------------------------------|---------|-------------------------------------------------------------------|
/// | none                           | yes     |                                                                   |
/// | lost                           | no      | a guard's hold is lost, or was downgraded during commit()         |
/// | node_missing, version_mismatch | no      | the servers refused the operation whose path the error names      |
/// | node_exists, node_not_empty    | no      | the servers refused the operation whose path the error names      |
/// | permission_denied              | no      | the servers refused an operation, or the check of a guard's node  |
/// | not_connected                  | no      | no server takes the request now                                   |
/// |                                |         | or a guard's downgrade is not confirmed yet                       |
/// |                                |         | or other clients set a write grant's node all the time            |
/// | **outcome_unknown**            | **?**   | the answer was lost or late; may_have_applied() is true           |
/// | not_owner                      | no      | a guard is an empty grant, or was released before commit(), or    |
/// |                                |         | during commit() while another client set its node                 |
/// | wrong_session                  | no      | a guard belongs to another session object                         |
/// | invalid_path, invalid_option   | no      | an argument is invalid; the error names the first invalid one     |
/// | request_too_large              | no      | the transaction is larger than about 1 MB                         |
/// | another error of acquire()     | no      | for example session_closed, even if a guard's hold is lost        |
///
/// - *Unknown outcome*: the library never sends a transaction twice that may have been applied. When a conflicting holder is
///   granted the lock, the outcome is final.
/// - *Blocking*: commit() waits for the answer, at most 2/3 of the session timeout (all of it where another client sets a write
///   grant's node meanwhile), and not for a connection. In
///   callbacks of the program's ZooKeeper handle: errc::would_deadlock, if the library detects it.
/// - *Guards*: a guard is the hold, not the grant object, and is valid until the hold's last count is released.
/// - *Threads*: one per object. *Lifetime*: may outlive session, grants and locks; may be committed once.
/// - *Cost*: 1 round trip; 3 where another client has set a write grant's node since it was read last.
/// - *Source*: the ownership guard of etcd's concurrency package. *Guide*: docs/guide/guarded_writes.md.
class [[nodiscard]] ZKLOCK_EXPORT transaction {
 public:
  transaction(transaction&& other) noexcept;
  transaction& operator=(transaction&& other) noexcept;
  ~transaction();

  /// The transaction is applied only if this grant's hold stands. Any number of guards, all grants of this session.
  transaction& guarded_by(const grant& by) &;
  [[nodiscard]] transaction&& guarded_by(const grant& by) &&;

  /// The new node has the session's access list. Its parent has to exist.
  transaction& create(std::string_view path, std::string_view data = {}, create_mode mode = create_mode::persistent) &;
  [[nodiscard]] transaction&& create(std::string_view path, std::string_view data = {},
                                     create_mode mode = create_mode::persistent) &&;
  transaction& set(std::string_view path, std::string_view data, std::int32_t version = any_version) &;
  [[nodiscard]] transaction&& set(std::string_view path, std::string_view data, std::int32_t version = any_version) &&;
  transaction& remove(std::string_view path, std::int32_t version = any_version) &;
  [[nodiscard]] transaction&& remove(std::string_view path, std::int32_t version = any_version) &&;
  transaction& check(std::string_view path, std::int32_t version = any_version) &;
  [[nodiscard]] transaction&& check(std::string_view path, std::int32_t version = any_version) &&;

  /// One result for each create(), set(), remove() and check(), in the order of these calls; none for guarded_by().
  std::vector<operation_result> commit();
  std::vector<operation_result> commit(std::error_code& ec);  ///< on an error: no results, and no path is named

 private:
  friend class session;
  friend struct detail::calls::commit;
  explicit transaction(std::shared_ptr<detail::session_impl> session);

  std::unique_ptr<detail::transaction_draft> draft_;  ///< null after the transaction was committed or moved from
};

}  // namespace zklock
