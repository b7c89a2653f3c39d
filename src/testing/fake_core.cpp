#include "src/testing/fake_core.hpp"

#include <algorithm>
#include <utility>

namespace zklock::testing {
namespace {

ensemble::config translated(const fake_ensemble::config& with) {
  ensemble::config out;
  out.servers = with.servers;
  out.tick = with.tick;
  out.session_timeout_min = with.session_timeout_min;
  out.session_timeout_max = with.session_timeout_max;
  return out;
}

/// Timers come last: a machine that is slow must not time out what has already arrived.
bool can_wait(const step& what) {
  switch (what.kind) {
    case step_kind::client_ping:
    case step_kind::client_timeout:
    case step_kind::leader_ping:
    case step_kind::session_expiry:
    case step_kind::leader_steps_down:
    case step_kind::follower_gives_up: return true;
    default: return false;
  }
}

}  // namespace

fake_ensemble::core::core(const config& with) : model_(translated(with)) {}

void fake_ensemble::core::run() {
  const scoped_lock_on lock(mutex_);
  worker_ = std::this_thread::get_id();
  while (!stopped_) {
    model_.advance(real_now() - model_.now());
    if (!deliver_next() && !perform_next()) wait_for_work();
  }
}

void fake_ensemble::core::stop() {
  const scoped_lock_on lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

bool fake_ensemble::core::deliver_next() {
  if (calls_.empty()) return false;
  relay::call next = std::move(calls_.front());
  calls_.pop_front();
  const std::shared_ptr<relay> whose = next.whose;
  client::observer* const to = whose->to;
  if (next.is_last()) relays_.erase(whose);
  if (to == nullptr) return true;
  whose->busy = telling_ = true;
  mutex_.unlock();
  next.pass_on(*to);
  mutex_.lock();
  whose->busy = telling_ = false;
  changed_.notify_all();
  return true;
}

bool fake_ensemble::core::perform_next() {
  std::vector<step> next = model_.steps();
  if (next.empty()) return false;
  const auto timers = std::stable_partition(next.begin(), next.end(), [](const step& s) { return !can_wait(s); });
  const auto others = static_cast<std::size_t>(timers - next.begin());
  // in turn, so that a client that never stops asking does not keep the others waiting
  model_.perform(others == 0 ? next.front() : next[turn_++ % others]);
  return true;
}

void fake_ensemble::core::wait_for_work() {
  const std::optional<instant> timer = model_.next_timer();
  if (!timer) {
    changed_.wait(mutex_);
    return;
  }
  changed_.wait_until(mutex_, began_ + std::chrono::duration_cast<std::chrono::steady_clock::duration>(*timer));
}

void fake_ensemble::core::apply_network(int client, network how) {
  model_.network().refuse(client, how == network::refuse);
  model_.network().hold(client, how == network::hold || how == network::hold_requests,
                        how == network::hold || how == network::hold_replies);
  if (how == network::refuse) model_.network().cut(client);
}

/// A fault may be ordered for a client before its first connection.
void fake_ensemble::core::know(int client) {
  if (client != everybody && clients_.insert(client).second) apply_network(client, network_);
}

void fake_ensemble::core::set_network(int client, network how) {
  const scoped_lock_on lock(mutex_);
  model_.advance(real_now() - model_.now());
  if (client == everybody) network_ = how;
  know(client);
  for (const int known : clients_) {
    if (client == everybody || client == known) apply_network(known, how);
  }
  changed_.notify_all();
}

std::shared_ptr<client::factory> fake_ensemble::core::factory_for(int client, int first_server) {
  const scoped_lock_on lock(mutex_);
  know(client);
  return model_.clients(client, first_server);
}

std::shared_ptr<relay> fake_ensemble::core::open(client::factory& from, const client::parameters& with,
                                                 client::observer& to, std::unique_ptr<client::connection>& out) {
  const scoped_lock_on lock(mutex_);
  auto made = std::make_shared<relay>(to, calls_);
  relays_.insert(made);
  model_.advance(real_now() - model_.now());
  out = from.open(with, *made);
  changed_.notify_all();
  return made;
}

void fake_ensemble::core::close(relay& whose, client::connection& connection) {
  const scoped_lock_on lock(mutex_);
  whose.closing = true;
  std::erase_if(calls_, [&](const relay::call& c) { return c.whose.get() == &whose; });
  model_.advance(real_now() - model_.now());
  connection.close();
  changed_.notify_all();
}

void fake_ensemble::core::silence(const std::shared_ptr<relay>& whose, client::connection& connection) {
  const scoped_lock_on lock(mutex_);
  whose->to = nullptr;
  if (!whose->closing) {
    whose->closing = true;
    connection.close();
    changed_.notify_all();
  }
  while (whose->busy && worker_ != std::this_thread::get_id()) changed_.wait(mutex_);
}

std::size_t fake_ensemble::core::watch_count(int client) const {
  const scoped_lock_on lock(mutex_);
  std::size_t out = 0;
  for (const int known : clients_) {
    if (client == everybody || client == known) out += model_.view().watches(known).in_client;
  }
  return out;
}

std::uint64_t fake_ensemble::core::request_count(int client) const {
  const scoped_lock_on lock(mutex_);
  std::uint64_t out = 0;
  for (const int known : clients_) {
    if (client == everybody || client == known) out += model_.view().requests(known).total();
  }
  return out;
}

bool fake_ensemble::core::quiet() const {
  const scoped_lock_on lock(mutex_);
  if (telling_ || !calls_.empty()) return false;
  for (const int known : clients_) {
    if (model_.view().queued(known) != 0) return false;
  }
  return true;
}

fake_ensemble::owner::owner(const config& with)
    : inside(std::make_shared<core>(with)), thread_([work = inside] { work->run(); }) {}

fake_ensemble::owner::~owner() {
  inside->stop();
  if (thread_.get_id() == std::this_thread::get_id()) {
    thread_.detach();  // destroyed by an observer; the thread ends when that returns, and keeps what it needs till then
  } else {
    thread_.join();
  }
}

}  // namespace zklock::testing
