#include "tests/contract/peer.hpp"

#include <algorithm>
#include <utility>

#include "tests/contract/swapped_order.hpp"

namespace zklock::contract {

std::string text(code value) { return std::string(recipes::name(value)); }

peer::peer(ensemble_under_test& in, int number, const client::parameters& with)
    : factory_(swapped_if_asked_for(in.clients(number))), connection_(factory_->open(with, *this)) {}

peer::~peer() { close(); }

client::request_id peer::send(client::any_request what) {
  client::request_id id = 0;
  {
    const scoped_lock_on lock(mutex_);
    id = ++last_request_;
  }
  connection_->submit(id, std::move(what));
  return id;
}

client::reply peer::answer(client::request_id id) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  const scoped_lock_on lock(mutex_);
  while (!replies_.contains(id)) {
    if (changed_.wait_until(mutex_, deadline) == std::cv_status::timeout) {
      client::reply none;
      none.code = static_cast<code>(-99999);
      return none;
    }
  }
  return replies_[id];
}

std::optional<bool> peer::close() {
  if (!std::exchange(closed_, true)) connection_->close();
  const auto deadline = std::chrono::steady_clock::now() + limit;
  const scoped_lock_on lock(mutex_);
  while (told_.empty() || (told_.back() != "closed" && told_.back() != "left")) {
    if (changed_.wait_until(mutex_, deadline) == std::cv_status::timeout) return std::nullopt;
  }
  return told_.back() == "closed";
}

bool peer::wait_for(const std::string& line, std::size_t from) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  const scoped_lock_on lock(mutex_);
  for (;;) {
    if (from < told_.size() &&
        std::find(told_.begin() + static_cast<std::ptrdiff_t>(from), told_.end(), line) != told_.end()) {
      return true;
    }
    if (changed_.wait_until(mutex_, deadline) == std::cv_status::timeout) return false;
  }
}

lines peer::told(std::size_t from) const {
  const scoped_lock_on lock(mutex_);
  return from >= told_.size() ? lines{} : lines(told_.begin() + static_cast<std::ptrdiff_t>(from), told_.end());
}

std::size_t peer::count(const std::string& line) const {
  const lines all = told();
  return static_cast<std::size_t>(std::count(all.begin(), all.end(), line));
}

std::size_t peer::index_of(const std::string& line) const {
  const lines all = told();
  return static_cast<std::size_t>(std::find(all.begin(), all.end(), line) - all.begin());
}

client::session_event peer::session() const {
  const scoped_lock_on lock(mutex_);
  return session_;
}

void peer::tell(std::string line) {
  const scoped_lock_on lock(mutex_);
  told_.push_back(std::move(line));
  changed_.notify_all();
}

void peer::on_reply(client::request_id id, const client::reply_view& answer) {
  {
    const scoped_lock_on lock(mutex_);
    told_.push_back("reply " + std::to_string(id) + " " + text(answer.code));
    replies_[id] = answer.copy();
    changed_.notify_all();
  }
  if (when_answered) when_answered(id);
}

void peer::on_node_event(client::watch_id id, client::node_event event) {
  static constexpr const char* names[] = {"created", "deleted", "changed", "children changed"};
  tell("event " + std::to_string(id) + " " + names[static_cast<int>(event)]);
}

void peer::on_session_event(const client::session_event& event) {
  static constexpr const char* names[] = {"connecting", "connected", "expired", "auth failed"};
  const bool connected = event.state == client::connection_state::connected;
  {
    const scoped_lock_on lock(mutex_);
    told_.emplace_back(names[static_cast<int>(event.state)]);
    if (connected) session_ = event;
    changed_.notify_all();
  }
  if (connected && when_connected) when_connected(*this);
}

void peer::on_closed(bool confirmed) { tell(confirmed ? "closed" : "left"); }

}  // namespace zklock::contract
