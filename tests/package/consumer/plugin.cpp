#include <memory>
#include <utility>

#include <zklock/testing/fake_ensemble.hpp>
#include <zklock/zklock.hpp>

#include "take_lock.hpp"

/// Templates of std with types of the plugin and of zklock: without plugin.map other shared objects use their symbols.
struct job {
  explicit job(std::shared_ptr<zklock::session> of) : session(std::move(of)) {}

  std::shared_ptr<zklock::session> session;
  zklock::recursive_mutex orders{*session, "/locks/job"};
};

static bool does_a_job() {
  zklock::testing::fake_ensemble zookeeper;
  const auto one = std::make_shared<job>(std::make_shared<zklock::session>(zookeeper.clients()));
  return one->orders.try_acquire().held();
}

extern "C" const char* plugin_takes_locks() { return does_a_job() ? take_locks() : "the job's lock is not held"; }
extern "C" const char* plugin_version() { return zklock::library_version(); }
