#include <gtest/gtest.h>

#include <zklock/multi_lock.hpp>
#include <zklock/semaphore.hpp>
#include <zklock/semaphore_mutex.hpp>
#include <zklock/shared_mutex.hpp>

#include <chrono>
#include <cstddef>
#include <sstream>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "tests/unit/api/guarded_write.hpp"

/// Writes that grants of every recipe guard.
namespace zklock {
namespace {

class guarded_write_of_any_recipe : public guarded_write {
 protected:
  guarded_write_of_any_recipe() { EXPECT_TRUE(elsewhere.wait_connected_for(std::chrono::seconds(30))); }

  /// What becomes of a write that it guards.
  std::error_code write_under(const grant& guard) {
    std::error_code ec;
    here.transaction().guarded_by(guard).set("/config", "x").commit(ec);
    return ec;
  }
  void another_client_writes_to(const std::string& node) { elsewhere.transaction().set(node, "mode=read\n").commit(); }

  session elsewhere{zookeeper.clients(1)};
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    all.push_back(line);
  }
  return all;
}

TEST_F(guarded_write_of_any_recipe, f96_is_applied_while_a_read_grant_stands_also_after_its_node_was_written_to) {
  shared_mutex config(here, "/locks/config");
  shared_mutex theirs(elsewhere, "/locks/config");
  const grant reads = config.read().acquire();
  const grant reads_too = theirs.read().acquire();
  EXPECT_FALSE(write_under(reads));
  another_client_writes_to(reads.node());
  EXPECT_FALSE(write_under(reads));
  ASSERT_TRUE(zookeeper.remove_node(reads.node()));
  EXPECT_EQ(write_under(reads), errc::lost);
}

TEST_F(guarded_write_of_any_recipe, f96_is_refused_to_a_write_grant_whose_node_another_client_has_made_a_readers) {
  shared_mutex config(here, "/locks/config");
  const grant writes = config.write().acquire();
  EXPECT_FALSE(write_under(writes));
  another_client_writes_to(writes.node());
  EXPECT_EQ(write_under(writes), errc::lost);
}

TEST_F(guarded_write_of_any_recipe, goes_on_under_a_downgraded_grant) {
  shared_mutex config(here, "/locks/config");
  grant writes = config.write().acquire();
  EXPECT_FALSE(write_under(writes));
  writes.downgrade();
  EXPECT_FALSE(write_under(writes)) << "sent behind the downgrade";
  shared_mutex theirs(elsewhere, "/locks/config");
  const grant reads_too = theirs.read().acquire();
  EXPECT_FALSE(write_under(writes));
  EXPECT_TRUE(writes.held());
  ASSERT_TRUE(zookeeper.remove_node(writes.node()));
  EXPECT_EQ(write_under(writes), errc::lost);
}

TEST_F(guarded_write_of_any_recipe, f96_is_guarded_by_permits_that_were_waited_for) {
  semaphore pool(here, "/locks/pool", 3);
  semaphore theirs(elsewhere, "/locks/pool", 3);
  grant in_the_way = theirs.permits(2).acquire();
  std::jthread gives_back([&] {
    ASSERT_TRUE(test_support::eventually([&] { return zookeeper.children("/locks/pool").size() == 2; }));
    in_the_way.release();
  });
  const grant two = pool.permits(2).acquire();  // marks its own node, for the next contender
  EXPECT_FALSE(write_under(two));
  ASSERT_TRUE(zookeeper.remove_node(two.node()));
  EXPECT_EQ(write_under(two), errc::lost);
}

TEST_F(guarded_write_of_any_recipe, is_guarded_by_a_semaphore_mutex_as_by_any_mutex) {
  semaphore_mutex jobs(here, "/locks/jobs");
  const grant held_too = jobs.acquire();
  EXPECT_FALSE(write_under(held_too));
  another_client_writes_to(held_too.node());
  EXPECT_FALSE(write_under(held_too)) << "that does it no harm";
  ASSERT_TRUE(zookeeper.remove_node(held_too.node()));
  EXPECT_EQ(write_under(held_too), errc::lost);
}

TEST_F(guarded_write_of_any_recipe, f67_f96_needs_every_part_of_a_multi_lock_and_names_the_one_that_is_gone) {
  recursive_mutex stock(here, "/locks/stock");
  shared_mutex config(here, "/locks/config");
  semaphore pool(here, "/locks/pool", 8);
  const std::vector<std::string> paths{"/locks/stock", "/locks/config", "/locks/pool"};
  for (std::size_t gone = 0; gone < paths.size(); ++gone) {
    multi_lock all{stock, config.read(), pool.permits(3)};
    const grant guard = all.acquire();
    EXPECT_FALSE(write_under(guard));
    const std::vector<std::string> nodes = lines_of(guard.node());
    ASSERT_EQ(nodes.size(), paths.size());
    ASSERT_TRUE(zookeeper.remove_node(nodes[gone]));
    try {
      here.transaction().guarded_by(held).guarded_by(guard).create("/never").commit();
      ADD_FAILURE() << paths[gone] << " is gone";
    } catch (const error& told) {
      EXPECT_EQ(told.code(), errc::lost);
      EXPECT_EQ(told.path(), paths[gone]);
    }
    EXPECT_FALSE(zookeeper.exists("/never"));
    EXPECT_TRUE(test_support::eventually([&] { return !guard.held(); })) << "lost with its part";
  }
}

}  // namespace
}  // namespace zklock
