#include <algorithm>
#include <utility>

#include <zklock/error.hpp>

#include "src/api/blocking_receiver.hpp"
#include "src/api/lock_state.hpp"
#include "src/api/mutex_terms.hpp"
#include "src/api/participants_list.hpp"
#include "src/api/read_result.hpp"
#include "src/api/view_access.hpp"
#include "src/errors/error_of.hpp"
#include "src/port/path.hpp"

namespace zklock::detail {
namespace {

constexpr std::string_view list_the_queue_of = "list the queue of";

participant_kind kind_of(recipes::contender_kind kind) {
  switch (kind) {
    case recipes::contender_kind::read: return participant_kind::read;
    case recipes::contender_kind::write: return participant_kind::write;
    case recipes::contender_kind::permit:
    case recipes::contender_kind::lease: return participant_kind::permits;
    case recipes::contender_kind::latch: return participant_kind::latch;
    case recipes::contender_kind::mutex:
    case recipes::contender_kind::foreign: break;
  }
  return participant_kind::mutex;
}

std::optional<layout> layout_of(const recipes::seen_contender& one) {
  if (one.kind == recipes::contender_kind::mutex) {
    return std::nullopt;
  }
  return one.as == recipes::layout::curator ? layout::curator : layout::native;
}

bool waits_to_make_its_node(const recipes::seen_contender& one) {
  return one.kind == recipes::contender_kind::lease && one.permits == 0;
}

participant participant_of(recipes::seen_contender&& seen, std::size_t position, const std::string& path) {
  participant one;
  one.position = position;
  one.state = seen.holds ? participant_state::held : participant_state::waiting;
  one.kind = kind_of(seen.kind);
  one.permits = seen.permits;
  one.node = path + "/" + seen.name;
  one.token = {waits_to_make_its_node(seen) ? 0 : seen.czxid};
  one.layout = layout_of(seen);
  one.host = std::move(seen.told.host);
  one.pid = seen.told.pid;
  one.owner = seen.told.owner;
  one.label = std::move(seen.told.label);
  one.since = seen.told.time;
  one.revocation_requested = seen.told.asked_to_let_go;
  one.may_be_idle = seen.told.may_be_idle;
  return one;
}

}  // namespace

std::vector<participant> participants_of(std::vector<recipes::seen_contender>&& seen, const std::string& path) {
  std::vector<participant> queue;
  queue.reserve(seen.size());
  for (recipes::seen_contender& one : seen) {
    queue.push_back(participant_of(std::move(one), queue.size(), path));
  }
  return queue;
}

participant look_at_blocker(const std::shared_ptr<session_impl>& in, const operations::blocking_node& blocker, side of,
                            instant until, const std::stop_token& stop) {
  std::optional<std::string> data = blocker.data;
  std::int64_t czxid = blocker.czxid;
  if (!data && !blocker.path.empty()) {
    if (auto found = read(in, blocker.path, false, until, stop).found) {
      data = std::move(found->data);
      czxid = found->stat.czxid;
    }
  }
  const std::string_view name = base_name(blocker.path);
  const auto parsed = data ? recipes::parse_contender_name(name) : std::nullopt;
  if (!parsed) {
    return {};
  }
  recipes::seen_contender seen{.name = std::string(name),
                               .czxid = czxid,
                               .told = recipes::parse_contender_data(*data, name),
                               .kind = parsed->kind,
                               .as = parsed->layout,
                               .permits = parsed->permits,
                               .holds = of != side::read};  // the first in the queue; of a reader it is the last writer
  return participant_of(std::move(seen), 0, blocker.path.substr(0, blocker.path.size() - name.size() - 1));
}

namespace {

/// The contenders that a lock's queue() lists.
recipes::sought_contenders contenders_of(const lock_state& lock) {
  return recipes::sought_contenders_of(lock.wanted({}).spec);
}

}  // namespace

std::vector<participant> queue_of(lock_state& lock, std::error_code* ec) {
  operations::participants_result found = lock.query_participants(contenders_of(lock), lock.end_of_one_try(boot_now()));
  if (ec != nullptr) {
    *ec = found.ec;
  } else if (found.ec) {
    throw error_with(found.ec, found.answer, list_the_queue_of, lock.path(), lock.its_session()->root());
  }
  return participants_of(std::move(found.queue), lock.path());
}

operations::participants_result lock_state::query_participants(const recipes::sought_contenders& of, instant until) {
  operations::participants_result refused;
  if (its_session()->forked()) {
    refused.ec = errc::forked;
    return refused;
  }
  if (its_session()->on_client_thread()) {
    refused.ec = errc::would_deadlock;  // the answer would come to this very thread
    return refused;
  }
  blocking_receiver<operations::participants_result> told;
  const std::shared_ptr<engine::operation> mine =
      std::make_shared<operations::participants_query>(target_, until, of, told.shared());
  lock_owners::call waits(*owners(), {});
  if (!waits.enter(mine)) {
    refused.ec = errc::abandoned;
    return refused;
  }
  its_session()->begin(mine);
  return told.wait();
}

namespace {

participants_list list_of(operations::participants_result&& found, const lock_state& of) {
  if (found.ec) {
    throw error_with(found.ec, found.answer, list_the_queue_of, of.path(), of.its_session()->root());
  }
  participants_list all;
  const auto first_of_us =
      std::find_if(found.queue.begin(), found.queue.end(), [](const auto& one) { return one.of_this_session; });
  all.before_us = static_cast<std::size_t>(first_of_us - found.queue.begin());
  all.queue = participants_of(std::move(found.queue), of.path());
  if (found.permits) {
    all.limit = found.permits->limit;
  }
  return all;
}

}  // namespace

participants_list list_queue(const lock_view& of, std::chrono::milliseconds limit) {
  const std::shared_ptr<lock_state> lock = view_access::lock(of);  // there are no views of multi-locks here
  lock_state& state = *lock;
  return list_of(state.query_participants(contenders_of(state), boot_now() + limit), state);
}

std::vector<participant> list_names(const lock_view& of, std::chrono::milliseconds limit) {
  const std::shared_ptr<lock_state> lock = view_access::lock(of);
  recipes::sought_contenders by_name = contenders_of(*lock);
  by_name.names_only = true;
  return list_of(lock->query_participants(by_name, boot_now() + limit), *lock).queue;
}

participants_list list_lock(session& session, std::string_view path, const lock_options& options) {
  lock_state anything(session_access::impl(session), std::make_shared<mutex_terms>(), path, options);
  return list_of(anything.query_participants({}, anything.end_of_one_try(boot_now())), anything);
}

}  // namespace zklock::detail
