#include "tests/contract/swapped_order.hpp"

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

namespace zklock::contract {
namespace {

class swapping_observer final : public client::observer {
 public:
  swapping_observer(client::observer& to, bool session_events) : to_(to), session_events_(session_events) {}

  void on_reply(client::request_id id, const client::reply_view& answer) override {
    to_.on_reply(id, answer);
    release();
  }
  void on_node_event(client::watch_id id, client::node_event event) override {
    if (!session_events_ && !node_ && event == client::node_event::deleted) {
      node_.emplace(id, event);
      return;
    }
    to_.on_node_event(id, event);
    release();
  }
  void on_session_event(const client::session_event& event) override {
    if (session_events_ && !session_ && event.state == client::connection_state::connecting) {
      session_ = event;
      return;
    }
    to_.on_session_event(event);
    release();
  }
  void on_closed(bool confirmed) override { to_.on_closed(confirmed); }

 private:
  void release() {
    if (const auto held = std::exchange(node_, std::nullopt)) to_.on_node_event(held->first, held->second);
    if (const auto held = std::exchange(session_, std::nullopt)) to_.on_session_event(*held);
  }

  client::observer& to_;
  const bool session_events_;
  std::optional<std::pair<client::watch_id, client::node_event>> node_;
  std::optional<client::session_event> session_;
};

class swapping_connection final : public client::connection {
 public:
  swapping_connection(client::factory& from, const client::parameters& with, client::observer& to, bool session_events)
      : between_(to, session_events), inner_(from.open(with, between_)) {}

  void submit(client::request_id id, client::any_request&& what) override { inner_->submit(id, std::move(what)); }
  void forget(std::string_view path, client::watch_id id, watch_kind kind) override { inner_->forget(path, id, kind); }
  void close() override { inner_->close(); }

 private:
  swapping_observer between_;
  std::unique_ptr<client::connection> inner_;
};

class swapping_factory final : public client::factory {
 public:
  swapping_factory(std::shared_ptr<client::factory> inner, bool session_events)
      : inner_(std::move(inner)), session_events_(session_events) {}

  std::unique_ptr<client::connection> open(const client::parameters& with, client::observer& to) override {
    return std::make_unique<swapping_connection>(*inner_, with, to, session_events_);
  }
  bool adopted() const noexcept override { return inner_->adopted(); }
  std::size_t server_count() const noexcept override { return inner_->server_count(); }
  std::string describe() const override { return inner_->describe(); }

 private:
  const std::shared_ptr<client::factory> inner_;
  const bool session_events_;
};

}  // namespace

std::shared_ptr<client::factory> swapped_if_asked_for(std::shared_ptr<client::factory> inner) {
  const char* const asked = std::getenv(swap_variable);
  if (asked == nullptr) return inner;
  return std::make_shared<swapping_factory>(std::move(inner), std::string(asked) == "session_event");
}

}  // namespace zklock::contract
