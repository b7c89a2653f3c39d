#include "src/operations/guarded_multi.hpp"

#include <cstddef>
#include <optional>
#include <variant>

#include <zklock/error.hpp>

#include "src/errors/error_of.hpp"
#include "src/zookeeper/first_failed_operation.hpp"

namespace zklock::detail {
namespace {

using client::code;
using at = transaction_failure::at;

/// In the terms of a program that works on nodes; error_of has those of one that acquires a lock.
std::error_code error_of_operation(code answer) {
  switch (answer) {
    case code::node_exists: return errc::node_exists;
    case code::not_empty: return errc::node_not_empty;
    case code::no_children_for_ephemerals: return errc::server_error;
    default: return error_of(answer);
  }
}

transaction_failure refused(const client::reply_view& answer, const std::vector<std::shared_ptr<hold>>& guard_of) {
  const auto place = client::first_failed_operation(answer);
  if (!place) {
    return {error_of_operation(answer.code), answer.code, at::whole, 0};
  }
  const code why = answer.parts[*place].code;
  if (*place >= guard_of.size()) {
    return {error_of_operation(why), why, at::operation, *place - guard_of.size()};
  }
  const bool gone_or_changed = why == code::no_node || why == code::bad_version;
  return {gone_or_changed ? make_error_code(errc::lost) : error_of(why), why, at::guard, *place,
          guard_of[*place]->path()};
}

/// Not applied: the session was over before the transaction reached it, and with it all that was held in it.
transaction_failure without_session(code answer, const std::vector<std::shared_ptr<hold>>& guard_of,
                                    bool handle_is_adopted) {
  if (answer == code::closing) {  // it may have been on its way
    return {errc::outcome_unknown, answer, at::whole, 0};
  }
  if (answer == code::auth_failed) {
    return {errc::authentication_failed, answer, at::whole, 0};
  }
  if (!guard_of.empty()) {
    return {errc::lost, answer, at::guard, 0, guard_of.front()->path()};
  }
  return {handle_is_adopted ? errc::session_expired : errc::not_connected, answer, at::whole, 0};
}

void add_single_locks(const std::shared_ptr<hold>& one, std::vector<std::shared_ptr<hold>>& to) {
  if (one->parts().empty()) {
    to.push_back(one);
  }
  for (const std::shared_ptr<hold>& part : one->parts()) {
    add_single_locks(part, to);
  }
}

void put_in_front(const std::string& root, client::request::operation& what) {
  std::visit([&root](auto& one) { one.path.insert(0, root); }, what);
}

}  // namespace

guarded_multi guarded_multi::make(const std::vector<std::shared_ptr<hold>>& guards,
                                  const std::vector<client::request::operation>& operations, const std::string& root) {
  guarded_multi made;
  std::vector<hold::guard> nodes;
  for (const std::shared_ptr<hold>& one : guards) {
    add_single_locks(one, made.guard_of);
  }
  for (const std::shared_ptr<hold>& one : made.guard_of) {
    one->add_guards(nodes);
  }
  std::vector<client::request::operation>& parts = made.request.operations;
  for (hold::guard& one : nodes) {
    made.checked.push_back(one.path);
    parts.emplace_back(client::request::check{std::move(one.path), one.version});
  }
  parts.insert(parts.end(), operations.begin(), operations.end());
  for (client::request::operation& part : parts) {
    put_in_front(root, part);
  }
  return made;
}

std::optional<transaction_failure> failure_in(const client::reply_view& answer,
                                              const std::vector<std::shared_ptr<hold>>& guard_of,
                                              bool handle_is_adopted) {
  switch (recipes::classify(answer.code)) {
    case recipes::outcome::done: return std::nullopt;
    case recipes::outcome::unknown: return transaction_failure{errc::outcome_unknown, answer.code, at::whole, 0};
    case recipes::outcome::retry: return transaction_failure{errc::not_connected, answer.code, at::whole, 0};
    case recipes::outcome::session_over: return without_session(answer.code, guard_of, handle_is_adopted);
    case recipes::outcome::not_done: break;
  }
  return refused(answer, guard_of);
}

}  // namespace zklock::detail
