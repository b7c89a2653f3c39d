#pragma once

#include <zklock/testing/fake_ensemble.hpp>

#include <chrono>
#include <deque>
#include <memory>
#include <set>
#include <thread>

#include "src/port/client.hpp"
#include "src/testing/ensemble_model.hpp"
#include "src/testing/relay.hpp"
#include "src/threads/thread_safety.hpp"

namespace zklock::testing {

/// The model, the one mutex around it, and the work of the one thread. Shared by the thread and each owner of a
/// connection, so that neither needs the other to be alive.
class fake_ensemble::core {
 public:
  explicit core(const config& with);

  /// The thread's work: steps as soon as they are enabled, timers when they are due, observers in between.
  void run() ZKLOCK_EXCLUDES(mutex_);
  void stop() ZKLOCK_EXCLUDES(mutex_);

  /// Runs `action` on the model, and has the thread look at what it made possible.
  template <class Action>
  auto with_model(Action action) ZKLOCK_EXCLUDES(mutex_) {
    const scoped_lock_on lock(mutex_);
    model_.advance(real_now() - model_.now());
    changed_.notify_all();
    return action(model_);
  }
  template <class Action>
  auto look(Action action) const ZKLOCK_EXCLUDES(mutex_) {
    const scoped_lock_on lock(mutex_);
    return action(model_);
  }
  /// The same for one client or for all of them, those to come included.
  enum class network : std::uint8_t { pass, refuse, hold, hold_requests, hold_replies };
  void set_network(int client, network how) ZKLOCK_EXCLUDES(mutex_);
  template <class Action>
  void each_client(int client, Action action) ZKLOCK_EXCLUDES(mutex_) {
    const scoped_lock_on lock(mutex_);
    model_.advance(real_now() - model_.now());
    know(client);
    for (const int known : clients_) {
      if (client == everybody || client == known) action(model_, known);
    }
    changed_.notify_all();
  }

  [[nodiscard]] std::shared_ptr<client::factory> factory_for(int client, int first_server) ZKLOCK_EXCLUDES(mutex_);
  [[nodiscard]] std::shared_ptr<relay> open(client::factory& from, const client::parameters& with, client::observer& to,
                                            std::unique_ptr<client::connection>& out) ZKLOCK_EXCLUDES(mutex_);
  void close(relay& whose, client::connection& connection) ZKLOCK_EXCLUDES(mutex_);
  /// Returns when the observer is not, and will not be, called any more.
  void silence(const std::shared_ptr<relay>& whose, client::connection& connection) ZKLOCK_EXCLUDES(mutex_);

  [[nodiscard]] std::size_t watch_count(int client) const ZKLOCK_EXCLUDES(mutex_);
  [[nodiscard]] std::uint64_t request_count(int client) const ZKLOCK_EXCLUDES(mutex_);
  [[nodiscard]] bool quiet() const ZKLOCK_EXCLUDES(mutex_);

 private:
  [[nodiscard]] instant real_now() const { return std::chrono::steady_clock::now() - began_; }
  void know(int client) ZKLOCK_REQUIRES(mutex_);
  void apply_network(int client, network how) ZKLOCK_REQUIRES(mutex_);
  bool deliver_next() ZKLOCK_REQUIRES(mutex_);
  bool perform_next() ZKLOCK_REQUIRES(mutex_);
  void wait_for_work() ZKLOCK_REQUIRES(mutex_);

  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  mutable annotated_mutex mutex_;
  annotated_condition changed_;
  ensemble model_ ZKLOCK_GUARDED_BY(mutex_);
  std::deque<relay::call> calls_ ZKLOCK_GUARDED_BY(mutex_);
  std::set<std::shared_ptr<relay>> relays_ ZKLOCK_GUARDED_BY(mutex_);  ///< that the model may still call
  std::set<int> clients_ ZKLOCK_GUARDED_BY(mutex_);
  network network_ ZKLOCK_GUARDED_BY(mutex_) = network::pass;
  std::thread::id worker_ ZKLOCK_GUARDED_BY(mutex_);
  bool telling_ ZKLOCK_GUARDED_BY(mutex_) = false;
  std::size_t turn_ ZKLOCK_GUARDED_BY(mutex_) = 0;
  bool stopped_ ZKLOCK_GUARDED_BY(mutex_) = false;
};

/// Owns the thread. Held by the ensemble and by each factory and connection; the last one ends the thread.
class fake_ensemble::owner {
 public:
  explicit owner(const config& with);
  owner(const owner&) = delete;
  owner& operator=(const owner&) = delete;
  ~owner();

  const std::shared_ptr<core> inside;

 private:
  std::thread thread_;
};

}  // namespace zklock::testing
