#include "tests/sim/write_checker.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <zklock/error.hpp>

#include "tests/sim/grant_checker.hpp"

namespace zklock::sim {
namespace {

bool at_one_version(const detail::hold& of) { return of.version() != detail::hold::any_version; }

std::string name_of(const std::pair<int, int>& write) {
  return "write " + std::to_string(write.second) + " of c" + std::to_string(write.first);
}

/// "<client>-<number>-NNNNNNNNNN"
std::pair<int, int> parsed(std::string_view name) {
  std::pair<int, int> found{-1, -1};
  const char* const end = name.data() + name.size();
  const auto client = std::from_chars(name.data(), end, found.first);
  std::from_chars(std::min(client.ptr + 1, end), end, found.second);
  return found;
}

/// What a write whose guard, or connection, or session is gone may be told.
bool may_be_told(std::error_code why) {
  constexpr std::array expected{errc::lost, errc::not_connected, errc::outcome_unknown, errc::session_closed};
  return std::find(expected.begin(), expected.end(), why) != expected.end();
}

}  // namespace

namespace {

bool is_mutex(const detail::hold& one) {
  const std::string node = one.node();
  const auto parsed = recipes::parse_contender_name(std::string_view(node).substr(node.rfind('/') + 1));
  return parsed && parsed->kind == recipes::contender_kind::mutex;
}

/// A multi-lock's parts, or itself.
template <class Use>
void for_each_part(const detail::hold& one, Use&& use) {
  for (const auto& part : one.parts()) {
    use(*part);
  }
  if (one.parts().empty()) {
    use(one);
  }
}

}  // namespace

void write_checker::granted(const detail::hold& hold, const testing::ensemble& servers) {
  nodes_may_have_changed(servers);
  for_each_part(hold, [this](const detail::hold& part) {
    recipes::fencing_token& greatest = granted_[part.path()];
    greatest = std::max(greatest, part.token());
  });
}

void write_checker::begun(int client, int number, std::shared_ptr<detail::hold> hold,
                          const testing::ensemble& servers) {
  const detail::hold& guard = *hold;
  nodes_may_have_changed(servers);
  write& one = writes_[{client, number}];
  one.guards = grant_checker::nodes_of(guard);
  for_each_part(guard, [&one](const detail::hold& part) {
    one.untouched += at_one_version(part) ? 1 : 0;
    if (at_one_version(part) || is_mutex(part)) {
      one.alone.emplace_back(part.path(), part.token());
    }
  });
  one.guards_stood = all_stand(one, servers);
  one.guard = std::move(hold);
}

/// Or can guard no more: nothing that a write lock guards survives its downgrade.
bool write_checker::is_lost(const write& one, const testing::ensemble& servers) {
  const auto& parts = one.guard->parts();
  const auto downgraded =
      std::count_if(parts.begin(), parts.end(), [](const auto& part) { return !at_one_version(*part); }) +
      (parts.empty() && !at_one_version(*one.guard) ? 1 : 0);
  return one.guard->why_lost() != loss_reason::none || servers.now() >= one.guard->valid_until() ||
         !all_stand(one, servers) || downgraded > std::ssize(one.guards) - one.untouched;
}

bool write_checker::all_stand(const write& one, const testing::ensemble& servers) {
  return std::all_of(one.guards.begin(), one.guards.end(),
                     [&servers](const std::string& guard) { return servers.exists(guard); });
}

void write_checker::nodes_may_have_changed(const testing::ensemble& servers) {
  const std::int64_t before = std::exchange(seen_zxid_, servers.last_zxid());
  if (writes_.empty() || before == seen_zxid_) {
    return;
  }
  for (const auto& child : servers.children(written_path)) {
    if (seen_.insert(child.name).second) {
      judge(child.name, servers, seen_zxid_ == before + 1);
    }
  }
  for (auto& [which, one] : writes_) {
    one.guards_stood = all_stand(one, servers);
  }
}

/// Where a leader has got its quorum back, several transactions are applied in one step, and what stood between them is
/// not seen: the write counts as guarded when its guard stood before them.
void write_checker::judge(std::string_view name, const testing::ensemble& servers, bool by_itself) {
  const auto found = writes_.find(parsed(name));
  if (found == writes_.end()) {
    report_("guarded_write", std::string(name) + " was written by no client");
    return;
  }
  auto& [which, one] = *found;
  if (++one.applied > 1) {
    report_("written_once", name_of(which) + " was applied twice");
  }
  if (one.refused) {
    report_("write_told_truly", name_of(which) + " was applied after it had been told that it was not");
  }
  if (!all_stand(one, servers) && (by_itself || !one.guards_stood)) {
    report_("guarded_write", name_of(which) + " was applied while its guard did not stand");
  }
  for (const auto& [lock, token] : one.alone) {
    if (token < granted_[lock]) {
      report_("guarded_write", name_of(which) + " was applied after a later holder was granted " + lock);
    }
  }
}

void write_checker::answered(int client, int number, std::error_code why, const testing::ensemble& servers) {
  nodes_may_have_changed(servers);
  const identity which{client, number};
  write& one = writes_[which];
  if (std::exchange(one.answered, true)) {
    report_("finishes_once", name_of(which) + " was answered a second time");
  }
  if (!why && one.applied == 0) {
    report_("write_told_truly", name_of(which) + " was told to be applied, and is not");
  }
  // Given back while it was under way: a transaction that a revocation has refused is not sent again then.
  const bool given_back =
      why == errc::not_owner && one.guard->why_lost() == loss_reason::none && !one.guard->held_at(servers.now());
  if (why && !may_be_told(why) && !given_back) {
    report_("write_told_truly", name_of(which) + " was told: " + why.message());
  }
  if (why == errc::lost && !is_lost(one, servers)) {
    report_("write_told_truly", name_of(which) + " was told that its guard is lost, and it stands");
  }
  one.refused = why && !may_have_applied(why);
  if (one.refused && one.applied > 0) {
    report_("write_told_truly", name_of(which) + " was applied, and was told: " + why.message());
  }
}

void write_checker::crashed(int client) {
  for (auto& [which, one] : writes_) {
    one.answered = one.answered || which.first == client;
  }
}

void write_checker::finished() {
  for (const auto& [which, one] : writes_) {
    if (!one.answered) {
      report_("finishes_once", name_of(which) + " was never answered");
    }
  }
}

}  // namespace zklock::sim
