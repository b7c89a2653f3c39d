#include <zklock/participants.hpp>

#include <limits>
#include <memory>
#include <utility>

#include <zklock/error.hpp>

#include "src/api/lock_state.hpp"
#include "src/api/option_check.hpp"
#include "src/api/participants_list.hpp"
#include "src/api/waited_operation.hpp"
#include "src/errors/error_of.hpp"
#include "src/operations/locks_below.hpp"
#include "src/operations/participants_query.hpp"
#include "src/port/path.hpp"

namespace zklock {
namespace {

using detail::instant;
using std::chrono::milliseconds;

constexpr std::string_view at_a_path = "list the participants of";
constexpr std::string_view below_a_path = "list the locks below";

/// `make` gets the instant of the time limit and the receiver.
template <class Result, class Make>
Result list(const session& in, std::string_view operation, std::string_view path, milliseconds time_limit,
            Make&& make) {
  detail::require_valid_duration(time_limit, "time_limit");
  const std::shared_ptr<detail::session_impl> here = detail::session_access::impl(in);  // the session object may go
  detail::require_may_wait(*here, operation, path);
  return detail::wait_for<Result>(here, [&](const auto& told) { return make(detail::boot_now() + time_limit, told); });
}

template <class List>
auto without_throwing(std::error_code& ec, List&& call) -> decltype(call()) {
  ec.clear();
  try {
    return call();
  } catch (const error& failure) {
    ec = failure.code();
    return {};
  }
}

detail::inspected_lock inspected(detail::lock_below&& one) {
  detail::inspected_lock all;
  for (const recipes::seen_contender& each : one.queue) {
    constexpr std::int64_t container = std::numeric_limits<std::int64_t>::min();
    const auto name = recipes::parse_contender_name(detail::base_name(each.name));
    all.nodes.push_back({each.session == container ? 0 : each.session, name ? name->sequence.value : 0, each.hidden});
  }
  all.strangers = std::move(one.strangers);
  all.access = std::move(one.access);
  all.permits_at_most = one.permits ? one.permits->was : 0;
  all.lock = {one.path.empty() ? "/" : one.path, one.ec, detail::participants_of(std::move(one.queue), one.path),
              one.permits ? std::optional<std::int64_t>(one.permits->limit) : std::nullopt};
  return all;
}

}  // namespace

std::vector<participant> participants(session& in, std::string_view path, milliseconds time_limit) {
  detail::require_valid_path(path, at_a_path);
  const auto lock = std::make_shared<detail::lock_target>();
  lock->path = path;
  const std::string chroot = detail::session_access::impl(in)->root();  // the session object may go
  auto found =
      list<operations::participants_result>(in, at_a_path, path, time_limit, [&lock](instant until, const auto& told) {
        return std::make_shared<operations::participants_query>(lock, until, recipes::sought_contenders{}, told);
      });
  if (found.ec) {
    throw detail::error_with(found.ec, found.answer, at_a_path, path, chroot);
  }
  return detail::participants_of(std::move(found.queue), lock->path);
}

std::vector<participant> participants(session& in, std::string_view path, std::error_code& ec) {
  return participants(in, path, participants_time_limit, ec);
}

std::vector<participant> participants(session& in, std::string_view path, milliseconds time_limit,
                                      std::error_code& ec) {
  return without_throwing(ec, [&] { return participants(in, path, time_limit); });
}

namespace detail {

void require_node_path(std::string_view path) { require_valid_path(path, "look at"); }

std::string_view lock_by_name_of(std::string_view node) {
  const auto name = recipes::parse_contender_name(base_name(node));
  const bool is_one = name && name->kind != recipes::contender_kind::foreign;
  return is_one ? node.substr(0, node.rfind('/')) : std::string_view();
}

std::vector<inspected_lock> inspect_below(session& in, std::string_view path, milliseconds time_limit,
                                          const operations::locks_below_options& options) {
  const bool root = path == "/";
  if (!root) {
    require_valid_path(path, below_a_path);
  }
  const std::string chroot = session_access::impl(in)->root();
  auto found =
      list<operations::locks_below_result>(in, below_a_path, path, time_limit, [&](instant until, const auto& told) {
        return std::make_shared<operations::locks_below>(root ? std::string() : std::string(path), until, told,
                                                         options);
      });
  if (!found.why.detail.empty()) {
    throw error(found.why.ec, below_a_path, path, found.why.detail);
  }
  if (found.why.ec) {
    throw error_with(found.why.ec, found.why.answer, below_a_path, path, session_access::impl(in)->root());
  }
  std::vector<inspected_lock> locks;
  locks.reserve(found.locks.size());
  for (lock_below& one : found.locks) {
    locks.push_back(inspected(std::move(one)));
  }
  return locks;
}

}  // namespace detail

std::vector<listed_lock> locks_below(session& in, std::string_view path, milliseconds time_limit) {
  std::vector<listed_lock> locks;
  for (detail::inspected_lock& one : detail::inspect_below(in, path, time_limit)) {
    locks.push_back(std::move(one.lock));
  }
  return locks;
}

std::vector<listed_lock> locks_below(session& in, std::string_view path, std::error_code& ec) {
  return locks_below(in, path, participants_time_limit, ec);
}

std::vector<listed_lock> locks_below(session& in, std::string_view path, milliseconds time_limit, std::error_code& ec) {
  return without_throwing(ec, [&] { return locks_below(in, path, time_limit); });
}

}  // namespace zklock
