#include "src/testing/server_group.hpp"

#include <algorithm>

namespace zklock::testing {
namespace {

template <class Of>
std::size_t count(const server_group& servers, Of of) noexcept {
  return static_cast<std::size_t>(std::count_if(servers.begin(), servers.end(), of));
}

bool can_vote(const server& s) noexcept { return s.can_vote(); }

}  // namespace

server_group::server_group(const ensemble_config& with, std::int64_t zxid) {
  const int wanted = std::max(1, with.servers);
  servers_.reserve(static_cast<std::size_t>(wanted));
  for (int i = 0; i < wanted; ++i) servers_.emplace_back(i, replica(zxid, with.counter_wraps));
}

server* server_group::find(int number) noexcept {
  return number >= 0 && static_cast<std::size_t>(number) < size() ? &(*this)[number] : nullptr;
}

bool server_group::believes_in_leader(const server& s) const noexcept {
  return has_leader() && !s.down && s.serving && !s.deposed;
}

bool server_group::attached(const server& s) const noexcept {
  if (!believes_in_leader(s) || s.line.cut) return false;
  return leads(s) || !leader().line.cut;
}

bool server_group::has_quorum() const noexcept {
  return has_leader() && count(*this, [this](const server& s) { return attached(s) && !s.frozen; }) * 2 > size();
}

bool server_group::can_elect() const noexcept { return !has_leader() && count(*this, can_vote) * 2 > size(); }

bool server_group::can_spare_one() const noexcept {
  const std::size_t voters = count(*this, can_vote);
  return voters == 0 || (voters - 1) * 2 > size();
}

bool server_group::can_rejoin(const server& s) const noexcept {
  return has_leader() && !s.serving && s.can_vote() && !s.line.disturbed() && !leader().frozen && !leader().line.cut;
}

const data_tree& server_group::nodes() const noexcept {
  if (has_leader()) return leader().nodes.nodes();
  return std::max_element(servers_.begin(), servers_.end(),
                          [](const server& a, const server& b) { return a.nodes.applied() < b.nodes.applied(); })
      ->nodes.nodes();
}

}  // namespace zklock::testing
