#pragma once

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

/// What kind of node a transaction makes. A sequential one gets ten digits behind its path; an ephemeral one goes with
/// the session. (No containers: ZooKeeper's C client cannot make them in a transaction.)
enum class create_mode : std::uint8_t { persistent, ephemeral, persistent_sequential, ephemeral_sequential };

/// Any version will do; the node only has to be there.
inline constexpr std::int32_t any_version = -1;

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
///           .commit();                           // errc::lost if the lock was: nothing was written then
///     }
///
/// How a commit ends:
///
/// | error                          | applied | because                                                             |
/// |--------------------------------|---------|---------------------------------------------------------------------|
/// | none                           | yes     |                                                                     |
/// | lost                           | no      | a guard is past its deadline, or its node is gone (or, a write side's, was written to) |
/// | node_missing, version_mismatch | no      | of the operation whose path the error names                         |
/// | node_exists, node_not_empty    | no      | the same                                                            |
/// | permission_denied              | no      | the same, or of a guard's node                                      |
/// | not_connected                  | no      | no server at the moment, it has put the request off, or a downgrade right before it |
/// | **outcome_unknown**            | **?**   | the answer was lost; may_have_applied() is true                     |
/// | not_owner                      | no      | a guard is an empty grant, or was given back meanwhile              |
/// | wrong_session                  | no      | a guard is of another session object                                |
/// | invalid_path, invalid_option   | no      | of the value that the error names                                   |
/// | request_too_large              | no      | it is more than about 1 MB                                          |
///
/// and session_closed, session_expired, authentication_failed, would_deadlock, forked as with acquire(): not applied.
///
/// *Ordering*: the operations are done in the order of the calls, each on what those before it left.
/// *Ownership*: of nothing. A guard is looked up when guarded_by() is called, and asked when commit() is: the grant may
/// be moved meanwhile. What counts is the hold: it stands until the last of its grants is given back.
/// *Blocking*: commit() waits until a server has answered or the connection is lost: at the longest 2/3 of the session
/// timeout. It does not wait for a connection. Not to be called from callbacks of the program's ZooKeeper handle
/// (errc::would_deadlock where that is seen).
/// *Threads*: one at a time; any. Different transactions of a session: any number at once.
/// *Errors*: mistakes are kept until commit(), which reports the first; nothing is sent then.
/// *Loss*: the servers have the last word: a process that was stopped between its question and its write does no harm.
/// A commit that is under way when its guard's deadline passes ends with what the servers say, or with outcome_unknown;
/// never with lost. A guard whose node was only written to may still be held. Of a multi-lock, lost names the part.
/// *Unknown outcome*: it is never sent twice. The next holder of the lock sees what became of it: the guard's node is
/// gone then, so it was done before, or never will be. To settle it earlier, make a node of a unique name in the same
/// transaction and commit the same again: node_exists of that name says that the first was applied.
/// *Lifetime*: may outlive its session (errc::session_closed), grants and locks. Once committed it is of no more use,
/// whatever the outcome: a second commit() is errc::invalid_option.
/// *Exceptions*: commit() throws zklock::error, with the operation and its path, or the lock of the guard. All else
/// throws for lack of memory alone.
/// *Cost*: one request; one round trip. A guard is one more operation in it.
/// *On the wire*: multi(check of each guard's node, operations…). Version 0 is checked of write grants that have not
/// been downgraded (in the native layout, where a downgrade writes to the node); of all others, mutexes too, that it is
/// there. Of a multi-lock each part is checked, in layout::curator of n permits each of the n nodes.
/// *Source*: the ownership guard of etcd's concurrency package.
class [[nodiscard]] transaction {
 public:
  transaction(transaction&& other) noexcept;
  transaction& operator=(transaction&& other) noexcept;
  ~transaction();

  /// Apply it only while this grant stands. Any number of them; the same session's.
  transaction& guarded_by(const grant& by) &;
  [[nodiscard]] transaction&& guarded_by(const grant& by) &&;

  /// Makes a node, with the session's access list. What is above it has to be there.
  transaction& create(std::string_view path, std::string_view data = {}, create_mode mode = create_mode::persistent) &;
  [[nodiscard]] transaction&& create(std::string_view path, std::string_view data = {},
                                     create_mode mode = create_mode::persistent) &&;
  transaction& set(std::string_view path, std::string_view data, std::int32_t version = any_version) &;
  [[nodiscard]] transaction&& set(std::string_view path, std::string_view data, std::int32_t version = any_version) &&;
  transaction& remove(std::string_view path, std::int32_t version = any_version) &;
  [[nodiscard]] transaction&& remove(std::string_view path, std::int32_t version = any_version) &&;
  /// That a node is there, at this version.
  transaction& check(std::string_view path, std::int32_t version = any_version) &;
  [[nodiscard]] transaction&& check(std::string_view path, std::int32_t version = any_version) &&;

  /// What each create, set, remove and check came to, in the order of the calls.
  std::vector<operation_result> commit();
  /// Empty with an error.
  std::vector<operation_result> commit(std::error_code& ec);

 private:
  friend class session;
  explicit transaction(std::shared_ptr<detail::session_impl> session);

  std::unique_ptr<detail::transaction_draft> draft_;  ///< null once it is committed, or moved from
};

}  // namespace zklock
