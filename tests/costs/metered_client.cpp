#include "tests/costs/metered_client.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>

namespace zklock::costs {
namespace {

constexpr std::chrono::milliseconds timeout{6'000};

template <class Operation>
std::uint64_t bytes_of(const Operation& one) {
  std::uint64_t bytes = one.path.size();
  if constexpr (requires { one.data; }) {
    bytes += one.data.size();
  }
  return bytes;
}
std::uint64_t bytes_of(const client::request::multi& several) {
  std::uint64_t bytes = 0;
  for (const client::request::operation& part : several.operations) {
    bytes += std::visit([](const auto& one) { return bytes_of(one); }, part);
  }
  return bytes;
}

std::uint64_t bytes_of_reply(const client::reply_view& answer) {
  std::uint64_t bytes = answer.name.size() + answer.data.size();
  for (const std::string_view child : answer.children) {
    bytes += child.size();
  }
  for (const client::part_result& part : answer.parts) {
    bytes += part.name.size();
  }
  return bytes;
}

std::chrono::nanoseconds processor_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

}  // namespace

template <class Task>
void metered_client::run(Task&& task) {
  const recipes::effort before = recipes::effort_of_thread;
  const std::chrono::nanoseconds elsewhere = elsewhere_;
  const std::chrono::nanoseconds began = processor_time();
  task();
  meter_.processor_time += processor_time() - began - (elsewhere_ - elsewhere);
  const recipes::effort done{recipes::effort_of_thread.names - before.names,
                             recipes::effort_of_thread.calls - before.calls};
  meter_.effort.names += done.names;
  meter_.effort.calls += done.calls;
  meter_.task_max.names = std::max(meter_.task_max.names, done.names);
  meter_.task_max.calls = std::max(meter_.task_max.calls, done.calls);
}

/// Counts what goes out, and how deep in a chain of answers it stands.
class metered_client::port final : public client::factory {
 public:
  port(metered_client& owner, std::shared_ptr<client::factory> servers) : owner_(owner), servers_(std::move(servers)) {}
  std::unique_ptr<client::connection> open(const client::parameters& with, client::observer& to) override;
  bool adopted() const noexcept override { return false; }
  std::size_t server_count() const noexcept override { return servers_->server_count(); }
  std::string describe() const override { return servers_->describe(); }

 private:
  class connection;
  metered_client& owner_;
  const std::shared_ptr<client::factory> servers_;
};

class metered_client::port::connection final : public client::connection, private client::observer {
 public:
  connection(metered_client& owner, client::observer& to) : owner_(owner), to_(to) {}
  void open(client::factory& servers, const client::parameters& with) { inner_ = servers.open(with, *this); }

  void submit(client::request_id id, client::any_request&& what) override {
    const std::chrono::nanoseconds began = processor_time();
    ++owner_.meter_.requests[what.index()];
    owner_.meter_.bytes += std::visit([](const auto& one) { return bytes_of(one); }, what);
    depths_.emplace(id, owner_.depth_ + 1);
    inner_->submit(id, std::move(what));
    owner_.elsewhere_ += processor_time() - began;
  }
  void forget(std::string_view path, client::watch_id id, watch_kind kind) override { inner_->forget(path, id, kind); }
  void close() override { inner_->close(); }

 private:
  void on_reply(client::request_id id, const client::reply_view& answer) override {
    owner_.meter_.bytes += bytes_of_reply(answer);
    const auto found = depths_.find(id);
    owner_.depth_ = found == depths_.end() ? 0 : found->second;
    if (owner_.measuring_) {
      owner_.meter_.round_trips = std::max(owner_.meter_.round_trips, owner_.depth_);
    }
    to_.on_reply(id, answer);
    owner_.depth_ = 0;
    depths_.erase(id);
  }
  void on_node_event(client::watch_id id, client::node_event event) override {
    if (owner_.measuring_) {  // it still waits: a holder's own mark comes back to it as an event
      ++owner_.meter_.wake_ups;
      owner_.meter_.round_trips = 0;
    }
    to_.on_node_event(id, event);
  }
  void on_session_event(const client::session_event& event) override { to_.on_session_event(event); }
  void on_closed(bool confirmed) override { to_.on_closed(confirmed); }

  metered_client& owner_;
  client::observer& to_;
  std::unique_ptr<client::connection> inner_;
  std::unordered_map<client::request_id, std::uint64_t> depths_;
};

std::unique_ptr<client::connection> metered_client::port::open(const client::parameters& with, client::observer& to) {
  auto opened = std::make_unique<connection>(owner_, to);
  opened->open(*servers_, with);
  return opened;
}

class metered_client::ear final : public client::observer {
 public:
  ear(metered_client& owner, std::uint64_t generation) : owner_(owner), generation_(generation) {}
  void on_reply(client::request_id id, const client::reply_view& answer) override {
    owner_.run([&] { owner_.engine_->on_reply(generation_, id, answer, owner_.servers_.now()); });
  }
  void on_node_event(client::watch_id id, client::node_event event) override {
    owner_.run([&] { owner_.engine_->on_node_event(generation_, id, event, owner_.servers_.now()); });
  }
  void on_session_event(const client::session_event& event) override {
    owner_.run([&] { owner_.engine_->on_session_event(generation_, event, owner_.servers_.now()); });
  }
  void on_closed(bool confirmed) override {
    owner_.run([&] { owner_.engine_->on_closed(generation_, confirmed, owner_.servers_.now()); });
  }

 private:
  metered_client& owner_;
  const std::uint64_t generation_;
};

struct metered_client::attempt final : operations::receiver<operations::acquire_result> {
  explicit attempt(metered_client& whose) : owner(whose) {}
  void complete(operations::acquire_result result) noexcept override {
    if (result.hold) {
      owner.holds_.push_back(std::move(result.hold));
      owner.measuring_ = false;
    }
  }
  metered_client& owner;
};

metered_client::metered_client(testing::ensemble& servers, int number)
    : servers_(servers),
      number_(static_cast<std::uint64_t>(number)),
      port_(std::make_unique<port>(*this, servers.clients(number))) {
  detail::session_config config;
  config.timeout = timeout;
  engine_ = std::make_unique<engine::session_engine>(std::move(config), *port_, static_cast<environment&>(*this));
  locks_ = std::make_unique<operations::lock_operations>(*engine_);
  engine_->open(servers_.now());
  servers_.settle();
  reset();
}

metered_client::~metered_client() = default;

void metered_client::acquire(detail::wanted_parts parts) {
  begin_acquire(std::move(parts));
  settle();
}

void metered_client::begin_acquire(detail::wanted_parts parts) {
  measuring_ = true;
  const bool several = parts.size() > 1;
  asked_.push_back(operations::acquire::make({std::move(parts), several}, std::make_shared<attempt>(*this)));
  run([&] { locks_->begin_acquire(asked_.back(), servers_.now()); });
}

void metered_client::release() {
  const std::shared_ptr<detail::hold> hold = holds_.front();
  holds_.pop_front();
  measuring_ = true;
  hold->end_by_release(servers_.now());
  if (hold->parts().empty()) {
    run([&] { locks_->release(hold, nullptr, servers_.now()); });
  }
  for (const auto& part : hold->parts()) {
    part->end_by_release(servers_.now());
    run([&] { locks_->release(part, nullptr, servers_.now()); });
  }
  settle();
}

void metered_client::downgrade() {
  measuring_ = true;
  holds_.front()->downgrade();
  run([&] { locks_->downgrade(holds_.front(), servers_.now()); });
  settle();
}

void metered_client::abandon_each(std::size_t step) {
  std::size_t place = 0;
  for (const auto& one : std::exchange(asked_, {})) {
    if (one->number() != 0 && place++ % step == 0) {
      run([&] { engine_->abandon(one, servers_.now()); });
    }
  }
  settle();
}

void metered_client::settle() {
  servers_.settle();
  for (auto due = engine_->next_timer(); due && *due <= servers_.now(); due = engine_->next_timer()) {
    run([&] { engine_->on_timer(servers_.now()); });
    servers_.settle();
  }
}

recipes::contender_id metered_client::next_id() { return {number_ + 1, ++ids_}; }

std::string metered_client::describe_contender(recipes::contender_mode mode, std::uint64_t owner,
                                               std::string_view label, std::string into) {
  return recipes::contender_data(mode, "host", 1, owner, label, "2026-01-01T00:00:00Z", std::move(into));
}

client::observer& metered_client::observer_of(std::uint64_t generation) {
  ears_.push_back(std::make_unique<ear>(*this, generation));
  return *ears_.back();
}

void metered_client::dispose(std::uint64_t /*generation*/, std::unique_ptr<client::connection> dead) {
  dead_.push_back(std::move(dead));
}

}  // namespace zklock::costs
