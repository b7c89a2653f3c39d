#include "tests/interop/beside_others.hpp"

#include <algorithm>
#include <utility>

namespace zklock::test {

void beside_others::TearDown() {
  peers_.clear();
  on_a_server::TearDown();
}

peer& beside_others::start(library one, std::chrono::milliseconds timeout, const std::string& label) {
  return started(std::make_unique<peer>(one, "127.0.0.1:" + std::to_string(port_), timeout, label));
}

peer& beside_others::start_through(const proxy& way, library one) {
  return started(std::make_unique<peer>(one, way.address(), long_session));
}

lock_at beside_others::lock(const std::string& kind, const std::vector<std::string>& paths) const {
  lock_at made{.kind = kind, .paths = {}};
  for (const std::string& path : paths) {
    made.paths += (made.paths.empty() ? "" : ",") + full(path);
  }
  return made;
}

std::vector<std::string> beside_others::nodes() {
  std::vector<std::string> all = server_.ephemerals_below(root_);
  std::ranges::sort(all);
  return all;
}

std::vector<std::string> beside_others::held_nodes() {
  std::vector<std::string> all;
  EXPECT_TRUE(eventually([&] {
    all = nodes();
    return std::ranges::none_of(all, [](const std::string& one) { return one.find("/locks/") != std::string::npos; });
  }));
  return all;
}

void beside_others::make_wait(peer& one, const lock_at& wanted) {
  const std::size_t before = held_nodes().size();
  one.begin_to_acquire(wanted);
  ASSERT_TRUE(more_than(before));
  ASSERT_FALSE(one.answers_within(150ms));
}

peer& beside_others::started(std::unique_ptr<peer> one) {
  peers_.push_back(std::move(one));
  EXPECT_EQ(peers_.back()->ask("connect"), "connected")
      << name_of(peers_.back()->of()) << ", which has to be installed";
  return *peers_.back();
}

}  // namespace zklock::test
