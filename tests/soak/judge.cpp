#include "tests/soak/judge.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace zklock::soak {
namespace {

/// What each way to acquire may end in, besides a grant, in a session that stays open.
bool style_may_end_in(std::string_view style, std::string_view outcome) {
  if (style == "stopped") return outcome == "abandoned";
  const bool limited = style.starts_with("try");
  return limited && (outcome == "not-in-time" || outcome == "not-connected");
}

}  // namespace

void judge::hear(const std::string& worker, std::string_view line) {
  const std::optional<event> what = parse(line);
  if (!what) {
    find({"worker-says", worker + " wrote a line that says nothing: " + std::string(line), {}});
    return;
  }
  rests_[worker] = false;
  std::visit([&](const auto& one) { hear_one(worker, one); }, *what);
}

judge::attempt* judge::known(const attempt_id& id) {
  const auto found = attempts_.find(id);
  if (found != attempts_.end()) return &found->second;
  find({"one-outcome", to_string(id) + " goes on after its end", {id}});
  return nullptr;
}

void judge::hear_one(const std::string& worker, const attempt_began& what) {
  ++counted_.attempts;
  attempts_.insert_or_assign(attempt_id{worker, what.attempt}, attempt{what});
}

void judge::hear_one(const std::string& worker, const attempt_ended& what) {
  const attempt_id id{worker, what.attempt};
  attempt* const of = known(id);
  if (of == nullptr) return;
  if (std::exchange(of->ended, true)) find({"one-outcome", to_string(id) + " has two outcomes", {id}});
  of->granted = what.outcome == "granted";
  counted_.grants += of->granted ? 1 : 0;
  ++counted_.outcomes[what.outcome];
  require_outcome_fits(id, *of, what);
  counted_.longest_wait = std::max(counted_.longest_wait, what.at - of->began.at);
  const nanoseconds overrun = std::max(nanoseconds{0}, what.overrun - what.excused);
  counted_.longest_overrun = std::max(counted_.longest_overrun, overrun);
  if (overrun > overrun_limit) {
    find({"wait-ends",
          to_string(id) + " returned " + std::to_string(overrun.count() / 1'000'000) + " ms past its limit",
          {id}});
  } else if (what.overrun > overrun_limit) {
    counted_.longest_standstill = std::max(counted_.longest_standstill, what.excused);
  }
  if (!of->granted) attempts_.erase(id);
}

void judge::require_outcome_fits(const attempt_id& id, const attempt& of, const attempt_ended& what) {
  if (may_end_in(id, of, what.outcome)) return;
  find({"one-outcome", to_string(id) + " (" + of.began.style + ") ended in " + what.outcome, {id}});
}

bool judge::may_end_in(const attempt_id& id, const attempt& of, std::string_view outcome) const {
  // Counted, and no finding: the servers have given two contenders one number (F178), and neither may be granted.
  if (outcome == "granted" || outcome == "number-given-twice") return true;
  if (outcome == "session-closed") return closing_.contains({id.worker, of.began.session});
  return style_may_end_in(of.began.style, outcome);
}

void judge::hear_one(const std::string& worker, const held_first& what) {
  const attempt_id id{worker, what.attempt};
  attempt* const of = known(id);
  if (of == nullptr) return;
  if (!of->granted || of->held) find({"one-outcome", to_string(id) + " holds without a grant", {id}});
  of->held = what.at;
  holds_of(of->began.lock).begin(id, what.token, what.node, what.asked, what.at);
}

void judge::hear_one(const std::string& worker, const held_still& what) {
  const attempt_id id{worker, what.attempt};
  if (const attempt* of = known(id)) holds_of(of->began.lock).still(id, what.at);
}

void judge::hear_one(const std::string&, const loss_seen& what) { ++counted_.losses[what.reason]; }

void judge::hear_one(const std::string& worker, const write_begun& what) {
  const attempt_id id{worker, what.attempt};
  if (const attempt* of = known(id)) store_of(of->began.lock).begin(id, what.token, what.base);
}

void judge::hear_one(const std::string& worker, const write_ended& what) {
  const attempt_id id{worker, what.attempt};
  if (const attempt* of = known(id)) store_of(of->began.lock).end(id, what.accepted);
  ++(what.accepted ? counted_.writes : counted_.refused);
}

void judge::hear_one(const std::string&, const read_refused&) { ++counted_.refused; }

void judge::hear_one(const std::string& worker, const released& what) {
  const attempt_id id{worker, what.attempt};
  attempt* const of = known(id);
  if (of == nullptr) return;
  ++counted_.releases[what.outcome];
  attempts_.erase(id);
}

void judge::hear_one(const std::string& worker, const session_closing& what) { closing_.emplace(worker, what.session); }

void judge::hear_one(const std::string&, const session_renewed& what) {
  ++counted_.sessions;
  counted_.longest_renewal = std::max(counted_.longest_renewal, what.took);
}

void judge::hear_one(const std::string& worker, const wrong& what) {
  const attempt_id id{worker, what.attempt};
  find({"worker-says", to_string(id) + ": " + what.what, {id}});
}

void judge::hear_one(const std::string& worker, const at_rest&) {
  rests_[worker] = true;
  for (const auto& [id, of] : attempts_) {
    if (id.worker != worker) continue;
    find({"one-outcome", to_string(id) + (of.ended ? " was never given back" : " never ended"), {id}});
  }
  std::erase_if(attempts_, [&](const auto& one) { return one.first.worker == worker; });
}

void judge::forced_end(const std::string& lock, const std::string& node, instant at, instant told_by) {
  holds_of(lock).forced_end(node, at, told_by);
}

void judge::killed(const std::string& worker) {
  counted_.cut_short += std::erase_if(attempts_, [&](const auto& one) { return one.first.worker == worker; });
  rests_.erase(worker);
}

bool judge::rests(const std::string& worker) const {
  const auto found = rests_.find(worker);
  return found != rests_.end() && found->second;
}

void judge::round_over(const std::function<std::int64_t(const std::string&)>& value_of) {
  for (auto& [lock, holds] : holds_) {
    for (finding& one : holds.judge()) find(std::move(one));
  }
  for (auto& [lock, store] : stores_) {
    for (finding& one : store.judge(value_of(lock))) find(std::move(one));
  }
  // Elections make servers do that now and then; what refuses sound numbers does it more often.
  const auto given_twice = counted_.outcomes.find("number-given-twice");
  if (given_twice != counted_.outcomes.end() && given_twice->second > 5 + counted_.attempts / 50) {
    find({"one-outcome",
          std::to_string(given_twice->second) + " attempts of " + std::to_string(counted_.attempts) + " ended in " +
              given_twice->first,
          {}});
  }
}

std::uint64_t judge::excused() const {
  std::uint64_t sum = 0;
  for (const auto& [lock, holds] : holds_) sum += holds.excused();
  return sum;
}

std::set<std::string> judge::holders_since(instant then) const {
  std::set<std::string> workers;
  for (const auto& [id, of] : attempts_) {
    if (of.held && *of.held < then) workers.insert(id.worker);
  }
  return workers;
}

std::vector<std::string> judge::under_way() const {
  std::vector<std::string> lines;
  for (const auto& [id, of] : attempts_) {
    lines.push_back(to_string(id) + " on " + of.began.lock + " (" + of.began.style +
                    (of.ended ? "), held" : "), waiting"));
  }
  return lines;
}

}  // namespace zklock::soak
