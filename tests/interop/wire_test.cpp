// What zklock leaves on the server in Curator's layout is, to the byte, what Curator leaves there.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "tests/interop/beside_others.hpp"

namespace zklock::test {
namespace {

/// How many contenders' nodes there are with one holder, and with one waiter behind it; 0: no client would wait.
struct footprint {
  const char* kind;
  std::size_t held;
  std::size_t waited_for;
  std::vector<std::string> paths{"/app/lock"};
};

const footprint each_kind[] = {
    {"mutex", 1, 2},
    {"semaphore-mutex", 1, 3},
    {"write", 1, 2},
    {"read", 1, 0},
    {"permits:1:3", 1, 0},
    {"permits:2:3", 2, 0},  // two clients that want several at a time need not have the same nodes while they wait
    {"multi", 2, 3, {"/app/first", "/app/second"}},
    {"multi-semaphore-mutex", 2, 4, {"/app/first", "/app/second"}},
};

/// Curator does not sort leases.
std::vector<std::string> in_order(const std::string& names) {
  std::istringstream from(names);
  std::vector<std::string> all{std::istream_iterator<std::string>(from), {}};
  if (names.find("-lease-") != std::string::npos) std::ranges::sort(all);
  return all;
}

/// A server that does not reap containers while we look at them.
const test_support::private_zookeeper& patient_server() {
  static const test_support::private_zookeeper server({.reaper_interval = std::chrono::hours(1)});
  return server;
}

class on_the_wire : public beside_others {
 protected:
  on_the_wire() : beside_others(patient_server().connect_string()) {}

  [[nodiscard]] std::string tree(const std::string& below) { return theirs_.ask("tree " + full(below)); }

  /// The same paths below another node.
  [[nodiscard]] lock_at lock_below(const std::string& top, const footprint& what) const {
    std::vector<std::string> paths;
    for (const std::string& path : what.paths) {
      paths.push_back(top + path);
    }
    return lock(what.kind, paths);
  }

  /// What stands there while it is held, while another waits, and afterwards, a line each.
  [[nodiscard]] std::string life_of(const footprint& what, const std::string& top, peer& holder, peer& waiter) {
    const lock_at wanted = lock_below(top, what);
    EXPECT_EQ(holder.acquire(wanted), "held");
    EXPECT_TRUE(eventually([&] { return nodes().size() == what.held; })) << tree(top);
    std::string life = "held: " + tree(top);
    if (what.waited_for != 0) {
      waiter.begin_to_acquire(wanted);
      EXPECT_TRUE(eventually([&] { return nodes().size() == what.waited_for; })) << tree(top);
      life += "\nwaited for: " + tree(top);
    }
    EXPECT_EQ(holder.release(wanted), "released");
    if (what.waited_for != 0) {
      EXPECT_EQ(waiter.answer(), "held");
      EXPECT_EQ(waiter.release(wanted), "released");
    }
    EXPECT_TRUE(eventually([&] { return nodes().empty(); }));
    return life + "\nafterwards: " + tree(top);
  }

  peer& theirs_ = start(library::curator);
};

TEST_F(on_the_wire, f50_our_nodes_are_as_curators_own_while_held_while_waited_for_and_afterwards) {
  peer& theirs_too = start(library::curator);
  peer& ours = start(library::zklock);
  peer& ours_too = start(library::zklock);
  for (const footprint& what : each_kind) {
    SCOPED_TRACE(what.kind);
    const std::string by_us = "/zklock-" + std::string(what.kind);
    const std::string by_them = "/curator-" + std::string(what.kind);
    server_.create(full(by_us));
    server_.create(full(by_them));
    const std::string wanted = life_of(what, by_them, theirs_, theirs_too);
    EXPECT_NE(wanted.find("_c_<uuid>-"), std::string::npos) << wanted;
    ASSERT_EQ(life_of(what, by_us, ours, ours_too), wanted);
  }
}

TEST_F(on_the_wire, f50_curator_finds_the_protection_in_our_names_and_lists_us_in_our_order) {
  peer& ours = start(library::zklock);
  for (const std::string kind : {"mutex", "write", "read", "permits:1:3"}) {
    SCOPED_TRACE(kind);
    const lock_at wanted = lock(kind, {"/" + kind});
    ASSERT_EQ(ours.acquire(wanted), "held");
    ASSERT_TRUE(eventually([&] { return nodes().size() == 1; }));
    const std::string path = nodes().front();
    const std::string name = path.substr(path.rfind('/') + 1);
    constexpr std::size_t uuid_begins = 3, uuid_length = 36;
    EXPECT_EQ(theirs_.ask("protection " + name),
              name.substr(uuid_begins, uuid_length) + " " + name.substr(uuid_begins + uuid_length + 1));

    theirs_.begin_to_acquire(wanted, kind == "read" || kind == "permits:1:3" ? 60s : 300ms);
    static_cast<void>(theirs_.answer());
    const std::string listed = "participants " + kind + " " + wanted.paths;
    EXPECT_TRUE(eventually([&] { return in_order(ours.ask(listed)) == in_order(theirs_.ask(listed)); }))
        << ours.ask(listed) << "\n"
        << theirs_.ask(listed);
    EXPECT_NE(theirs_.ask(listed).find(name), std::string::npos);
    if (kind == "read" || kind == "permits:1:3") {
      EXPECT_EQ(theirs_.release(wanted), "released");
    }
    EXPECT_EQ(ours.release(wanted), "released");
    EXPECT_TRUE(eventually([&] { return nodes().empty(); }));
  }
}

TEST_F(on_the_wire, f50_a_label_stands_in_place_of_the_address) {
  peer& ours = start(library::zklock, long_session, "importer-7");
  for (const footprint& what : each_kind) {
    SCOPED_TRACE(what.kind);
    const lock_at wanted = lock_below("/" + std::string(what.kind), what);
    ASSERT_EQ(ours.acquire(wanted), "held");
    ASSERT_TRUE(eventually([&] { return nodes().size() == what.held; }));
    for (const std::string& node : nodes()) {
      EXPECT_EQ(server_.data(node), "importer-7") << node;
    }
    EXPECT_EQ(ours.release(wanted), "released");
    EXPECT_TRUE(eventually([&] { return nodes().empty(); }));
  }
}

}  // namespace
}  // namespace zklock::test
