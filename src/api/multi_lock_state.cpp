#include "src/api/multi_lock_state.hpp"

#include <algorithm>
#include <list>
#include <optional>
#include <set>
#include <utility>

#include <boost/container/small_vector.hpp>

#include <zklock/error.hpp>

#include "recipes/places.hpp"
#include "src/api/blocking_receiver.hpp"
#include "src/api/count_release.hpp"

namespace zklock::detail {
namespace {

constexpr std::string_view making = "make a multi-lock of";

std::vector<multi_lock_state::part> checked(std::vector<multi_lock_state::part> parts) {
  if (parts.empty()) {
    throw error(errc::invalid_parts, making, "nothing");
  }
  std::set<std::string> paths;
  for (const auto& one : parts) {
    const std::string& path = one.state->path();
    if (one.state->its_session() != parts.front().state->its_session()) {
      throw error(errc::wrong_session, making, path);
    }
    if (!paths.insert(path).second) {
      throw error(errc::invalid_parts, making, path);
    }
  }
  for (const auto& one : parts) {  // a semaphore of Curator's waits for the mutex below its path: not for itself
    recipes::place_plan plan;
    plan.add(one.state->wanted(one.what).spec);
    for (const recipes::place& place : plan.places) {
      const std::string lock_node = one.state->path() + std::string(place.below);
      if (place.turn.passing && paths.contains(lock_node)) {
        throw error(errc::invalid_parts, making, lock_node);
      }
    }
  }
  return parts;
}

std::string paths_of(const std::vector<multi_lock_state::part>& parts) {
  std::string text;
  for (const auto& one : parts) {
    text.append(text.empty() ? "" : ", ").append(one.state->path());
  }
  return text;
}

std::shared_ptr<ownership_table> table_of(const std::vector<multi_lock_state::part>& parts) {
  std::vector<ownership_table::part_table> tables;
  tables.reserve(parts.size());
  for (const auto& one : parts) {
    tables.push_back({one.state->table(), one.what.of});
  }
  return std::make_shared<ownership_table>(std::move(tables));
}

}  // namespace

multi_lock_state::multi_lock_state(std::vector<part> parts)
    : acquirable_state(parts.empty() ? nullptr : parts.front().state->its_session(), table_of(parts)),
      parts_(checked(std::move(parts))),
      path_(paths_of(parts_)) {}

acquired multi_lock_state::acquire_for(const caller& by, lock_mode, time_limit limit, std::stop_token stop) {
  if (its_session()->forked()) {
    return {{}, {errc::forked}};
  }
  if (calls().abandoned()) {
    return {{}, {errc::abandoned}};  // a view has outlived the multi-lock
  }
  operations::acquire_request wanted = request_within(limit);
  wanted.terms.owner = by.owner;
  boost::container::small_vector<owner_calls*, 4> at;
  for (const part& one : parts_) {
    if (owner_calls* const calls = one.state->its_owner_calls()) {
      at.push_back(calls);
    }
  }
  if (failure why = obstacle(by); why.ec) {
    return {{}, std::move(why)};  // also if it is not its owner's turn
  }
  std::vector<std::stop_token> stops{stop, going()};
  for (const part& one : parts_) {
    stops.push_back(one.state->going());
  }
  owner_turn turn(by.owner);
  const bool may_wait = !its_session()->on_client_thread();  // an answer would come to this very thread
  const late_warning warning{warns_in_turn_at(), [this, &by] { return warning_for(by); }};
  if (auto refused = turn.take({at.data(), at.size()}, wanted.terms.until, stops, may_wait, warning)) {
    return {{}, blaming(without_turn(std::move(*refused)))};
  }
  if (failure why = obstacle(by); why.ec) {
    return {{}, std::move(why)};  // another call of the owner may have been answered just before its turn
  }
  if (stop.stop_requested()) {
    return {{}, {errc::abandoned}};
  }
  if (!may_wait) {
    return {{}, {errc::would_deadlock}};
  }
  wanted.terms.when_late = operations::late_line_of(warning_for(by));
  const auto until = wanted.terms.until;
  return behind_turn(contend(by, std::move(wanted), std::move(stop)), turn, until);
}

/// Of the first part that it is (still) due for.
std::function<log_line()> multi_lock_state::warning_for(const caller& by) const {
  std::vector<std::function<log_line()>> of_parts;
  for (const part& one : parts_) {
    if (auto line = one.state->warning_for(by)) {
      of_parts.push_back(std::move(line));
    }
  }
  if (of_parts.empty()) {
    return {};
  }
  return [of_parts = std::move(of_parts)] {
    log_line line;
    for (auto one = of_parts.begin(); one != of_parts.end() && line.text.empty(); ++one) {
      line = (*one)();
    }
    return line;
  };
}

failure multi_lock_state::obstacle(const caller& by) const {
  for (const part& one : parts_) {
    if (const std::error_code obstacle = one.state->obstacle(by, one.what)) {
      return {obstacle, {}, one.state->path()};
    }
    if (failure fault = one.state->fault(one.what); fault.ec) {
      return fault;
    }
  }
  return {};
}

acquired multi_lock_state::contend(const caller& by, operations::acquire_request&& wanted, std::stop_token stop) {
  blocking_receiver<operations::acquire_result> told;
  const std::shared_ptr<operations::acquire> mine = operations::acquire::make(std::move(wanted), told.shared());
  std::list<waiting_calls::entry> waits;  // with this, and with each part
  if (!waits.emplace_back(calls(), mine)) {
    return {{}, {errc::abandoned}};
  }
  for (const part& one : parts_) {
    if (!waits.emplace_back(one.state->calls(), mine)) {
      return {{}, {errc::abandoned, {}, one.state->path()}};
    }
  }
  its_session()->begin_acquire(mine);
  operations::acquire_result result;
  {
    const std::stop_callback when_stopped(stop, [this, &mine] { its_session()->abandon(mine); });
    result = told.wait();
  }
  std::shared_ptr<hold> granted = std::move(result.hold);
  if (!granted) {
    return {{}, blaming(std::move(result.why))};
  }
  try {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const part& one = parts_[i];
      one.state->table()->enter(by, one.what.of, granted->parts()[i], one.what.permits);
    }
    table()->enter(by, side::whole, granted);
  } catch (...) {
    release_unentered(*its_session(), *table(), granted);
    throw;
  }
  return {grant_access::make(its_session(), table(), std::move(granted), side::whole), {}};
}

void multi_lock_state::mark_locked(const hold& taken, lock_mode what) {
  acquirable_state::mark_locked(taken, what);
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    parts_[i].state->table()->mark_whole_locked(*taken.parts()[i], true);
  }
}

/// If the session names no part for an abandoned call, the part to blame is one whose lock object has gone.
failure multi_lock_state::blaming(failure why) const {
  if (why.path.empty() && why.ec == errc::abandoned) {
    const auto gone =
        std::find_if(parts_.begin(), parts_.end(), [](const part& one) { return one.state->calls().abandoned(); });
    why.path = gone != parts_.end() ? gone->state->path() : std::string();
  }
  return why;
}

/// One try takes as long as the least patient part would.
operations::acquire_request multi_lock_state::request_within(time_limit limit) const {
  call_end first = parts_.front().state->end_of(limit);
  wanted_parts wanted;
  for (const part& one : parts_) {
    wanted.push_back(one.state->wanted(one.what));
    const call_end end = one.state->end_of(limit);
    if (end.until && (!first.until || *end.until < *first.until)) {
      first.until = end.until;
    }
  }
  return {std::move(wanted), true, {first.once, first.until}};
}

}  // namespace zklock::detail
