#include "tests/interop/peer.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <utility>

namespace zklock::test {
namespace {

std::string class_path() {
  std::string path = ZKLOCK_CURATOR_PEER;
  for (const char* jar : {"curator-recipes", "curator-framework", "curator-client", "zookeeper", "zookeeper-jute",
                          "guava", "slf4j-api", "slf4j-nop"}) {
    path += std::string(":/usr/share/java/") + jar + ".jar";
  }
  return path;
}

/// A peer with a mistake in it may stand in for ours: then the tests have to fail.
std::string our_program() {
  const char* other = std::getenv("ZKLOCK_INTEROP_PEER");
  return other != nullptr ? other : ZKLOCK_PEER;
}

std::vector<std::string> command_of(library one, const std::string& servers, std::chrono::milliseconds timeout,
                                    const std::string& label) {
  const std::string limit = std::to_string(timeout.count());
  switch (one) {
    case library::zklock:
      return label.empty() ? std::vector{our_program(), servers, limit}
                           : std::vector{our_program(), servers, limit, label};
    case library::curator:
      // As few threads and as little compiling as can be: many of them share the machine. It speaks UTF-8 in any locale.
      return {"java",
              "-Xmx128m",
              "-XX:+UseSerialGC",
              "-XX:TieredStopAtLevel=1",
              "-Dfile.encoding=UTF-8",
              "-cp",
              class_path(),
              "CuratorPeer",
              servers,
              limit};
    // Another python3 on the PATH may lack the module.
    case library::kazoo:
      return {"/usr/bin/python3", std::string(ZKLOCK_INTEROP_DIR) + "/kazoo_peer.py", servers, limit, "-lock-"};
    case library::kazoo_without_pattern:
      return {"/usr/bin/python3", std::string(ZKLOCK_INTEROP_DIR) + "/kazoo_peer.py", servers, limit};
    case library::go_zk: return {ZKLOCK_GO_ZK_PEER, servers, limit};
  }
  return {};
}

}  // namespace

const char* name_of(library one) {
  switch (one) {
    case library::zklock: return "zklock";
    case library::curator: return "curator";
    case library::kazoo: return "kazoo_with_pattern";
    case library::kazoo_without_pattern: return "kazoo_without_pattern";
    case library::go_zk: return "go_zk";
  }
  return "";
}

void PrintTo(library one, std::ostream* to) { *to << name_of(one); }

peer::peer(library one, const std::string& servers, std::chrono::milliseconds timeout, const std::string& label)
    : library_(one), process_(command_of(one, servers, timeout, label)) {}

peer::~peer() { EXPECT_TRUE(killed_ || process_.leave()); }  // or its session would be left

void peer::begin_to_acquire(const lock_at& what, std::chrono::milliseconds limit) {
  begin("acquire " + what.kind + " " + what.paths + " " + std::to_string(limit.count()));
}

void peer::kill() {
  process_.kill();
  killed_ = true;
}

}  // namespace zklock::test
