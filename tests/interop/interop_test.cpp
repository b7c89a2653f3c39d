// F50: locks of other libraries, in processes of their own, and ours on one path.
#include <gtest/gtest.h>

#include <zklock/zklock.hpp>

#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "tests/integration/on_a_server.hpp"
#include "tests/integration/talking_process.hpp"

namespace zklock::test {
namespace {

enum class library : std::uint8_t { curator_mutex, curator_semaphore_mutex, kazoo, kazoo_with_pattern };

void PrintTo(library one, std::ostream* to) {
  *to << (one == library::curator_mutex ? "Curator" : "kazoo with the pattern");
}

std::string class_path() {
  std::string path;
  for (const char* jar : {"curator-recipes", "curator-framework", "curator-client", "zookeeper", "zookeeper-jute",
                          "guava", "slf4j-api", "slf4j-nop"}) {
    path += (path.empty() ? "" : ":") + std::string("/usr/share/java/") + jar + ".jar";
  }
  return path;
}

std::vector<std::string> command_of(library one, const std::string& servers) {
  const std::vector<std::string> java{"java",
                                      "-Xmx128m",
                                      "-XX:+UseSerialGC",
                                      "-XX:TieredStopAtLevel=1",
                                      "-cp",
                                      class_path(),
                                      ZKLOCK_INTEROP_DIR "/CuratorPeer.java",
                                      servers};
  // Another python3 on the PATH may lack the module.
  const std::vector<std::string> python{"/usr/bin/python3", ZKLOCK_INTEROP_DIR "/kazoo_peer.py", servers};
  const auto with = [](std::vector<std::string> command, const char* last) {
    command.emplace_back(last);
    return command;
  };
  switch (one) {
    case library::curator_mutex: return with(java, "mutex");
    case library::curator_semaphore_mutex: return with(java, "semaphore-mutex");
    case library::kazoo: return python;
    case library::kazoo_with_pattern: return with(python, "-lock-");
  }
  return {};
}

/// Its words: "acquire PATH MS" is answered with "held" or "not in time", "release" with "released".
class peer {
 public:
  peer(library one, const std::string& servers, std::string path)
      : process_(command_of(one, servers)), path_(std::move(path)) {}
  ~peer() { EXPECT_TRUE(process_.leave()); }  // or its session would be left
  peer(const peer&) = delete;
  peer& operator=(const peer&) = delete;

  void begin_to_acquire(std::chrono::milliseconds limit = 2 * patience) {
    process_.order("acquire " + path_ + " " + std::to_string(limit.count()));
  }
  [[nodiscard]] std::string answer() { return process_.answer().value_or("no answer"); }
  [[nodiscard]] bool answers_within(std::chrono::milliseconds limit) { return process_.answer(limit).has_value(); }
  [[nodiscard]] std::string acquire(std::chrono::milliseconds limit = 2 * patience) {
    begin_to_acquire(limit);
    return answer();
  }
  [[nodiscard]] std::string release() {
    process_.order("release");
    return answer();
  }

 private:
  talking_process process_;
  std::string path_;
};

class beside_others : public on_a_server {
 protected:
  [[nodiscard]] std::unique_ptr<peer> start(library one) {
    return std::make_unique<peer>(one, "127.0.0.1:" + std::to_string(port_), full("/lock"));
  }

  recursive_mutex ours{open(), "/lock"};
};

class another_library : public beside_others, public ::testing::WithParamInterface<library> {
 protected:
  const std::unique_ptr<peer> theirs_ = start(GetParam());
};

std::string name_of(const ::testing::TestParamInfo<library>& one) {
  return one.param == library::curator_mutex ? "curator" : "kazoo_with_pattern";
}
INSTANTIATE_TEST_SUITE_P(, another_library, ::testing::Values(library::curator_mutex, library::kazoo_with_pattern),
                         name_of);

TEST_P(another_library, f50_waits_while_we_hold_and_holds_when_we_have_released) {
  grant held = ours.acquire();
  theirs_->begin_to_acquire();
  ASSERT_TRUE(queue_grows_to(2));
  EXPECT_FALSE(theirs_->answers_within(200ms));
  EXPECT_TRUE(held.held());
  held.release();
  EXPECT_EQ(theirs_->answer(), "held");
  EXPECT_FALSE(ours.try_acquire());
  EXPECT_EQ(theirs_->release(), "released");
  EXPECT_TRUE(acquire_patiently(ours).held());
}

TEST_P(another_library, f50_holds_while_we_wait_and_lets_us_in_when_it_releases) {
  ASSERT_EQ(theirs_->acquire(), "held");
  EXPECT_FALSE(ours.try_acquire());
  auto waiting = in_a_thread([&] { return acquire_patiently(ours); });
  ASSERT_TRUE(queue_grows_to(2));
  EXPECT_FALSE(ready(waiting, 200ms));
  EXPECT_EQ(theirs_->release(), "released");
  EXPECT_TRUE(waiting.get().held());
}

TEST_P(another_library, f50_leaves_no_node_after_its_time_and_we_leave_none_after_ours) {
  grant held = ours.acquire();
  EXPECT_EQ(theirs_->acquire(300ms), "not in time");
  EXPECT_TRUE(eventually([&] { return contenders().size() == 1; }));
  EXPECT_TRUE(held.held());
  held.release();
  ASSERT_EQ(theirs_->acquire(), "held");
  std::error_code ec;
  EXPECT_FALSE(ours.try_acquire_for(ec, 300ms));
  EXPECT_FALSE(ec) << ec.message();
  EXPECT_TRUE(eventually([&] { return contenders().size() == 1; }));
  EXPECT_EQ(theirs_->release(), "released");
}

// ---- pairings that do not exclude, as docs/design/wire-format.md lists them: should one begin to, the page is to change

TEST_F(beside_others, f50_kazoo_without_the_pattern_does_not_wait_for_us_but_we_wait_for_it) {
  const auto kazoo = start(library::kazoo);
  {
    const grant held = ours.acquire();
    EXPECT_EQ(kazoo->acquire(), "held") << "side by side with us";
    EXPECT_TRUE(held.held());
    EXPECT_EQ(kazoo->release(), "released");
  }
  ASSERT_EQ(kazoo->acquire(), "held");
  EXPECT_FALSE(ours.try_acquire());
  EXPECT_EQ(kazoo->release(), "released");
  EXPECT_TRUE(acquire_patiently(ours).held());
}

TEST_F(beside_others, f50_curators_semaphore_mutex_is_another_lock) {
  const auto curator = start(library::curator_semaphore_mutex);
  {
    const grant held = ours.acquire();
    EXPECT_EQ(curator->acquire(), "held");
    EXPECT_TRUE(held.held());
  }
  EXPECT_TRUE(ours.try_acquire().held());
  EXPECT_EQ(curator->release(), "released");
}

TEST_F(beside_others, f50_curator_does_not_wait_for_kazoo_but_kazoo_with_the_pattern_for_curator) {
  const auto curator = start(library::curator_mutex);
  const auto kazoo = start(library::kazoo_with_pattern);
  ASSERT_EQ(kazoo->acquire(), "held");
  EXPECT_EQ(curator->acquire(), "held") << "side by side with kazoo";
  EXPECT_EQ(kazoo->release(), "released");
  EXPECT_EQ(kazoo->acquire(300ms), "not in time");
  EXPECT_EQ(curator->release(), "released");
}

}  // namespace
}  // namespace zklock::test
