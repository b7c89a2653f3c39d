#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/port/client.hpp"
#include "src/threads/thread_safety.hpp"
#include "tests/contract/ensemble_under_test.hpp"

namespace zklock::contract {

namespace request = client::request;
using client::create_mode;
using recipes::code;
using lines = std::vector<std::string>;

[[nodiscard]] std::string text(code value);
[[nodiscard]] inline client::acl open_to_all() { return {client::acl_entry{}}; }
[[nodiscard]] inline request::create create(std::string path, create_mode mode = create_mode::persistent,
                                            std::string data = {}) {
  return {std::move(path), std::move(data), mode, open_to_all()};
}

/// One client of the ensemble: a connection, and what it is told, in order, as lines:
/// "connected", "connecting", "expired", "auth failed", "reply 3 ZOK", "event 1 deleted", "closed", "left".
/// Waits end after 30 s, and then answer what a test cannot mistake for success.
class peer final : public client::observer {
 public:
  explicit peer(ensemble_under_test& in, int number = 0, const client::parameters& with = {.timeout = default_timeout});
  peer(const peer&) = delete;
  peer& operator=(const peer&) = delete;
  ~peer() override;  ///< closes

  static constexpr std::chrono::milliseconds default_timeout{10'000};
  static constexpr std::chrono::milliseconds limit{30'000};

  client::request_id send(client::any_request what);
  client::reply ask(client::any_request what) { return answer(send(std::move(what))); }
  client::reply answer(client::request_id id);
  [[nodiscard]] client::watch_id new_watch() { return ++last_watch_; }
  void forget(std::string_view path, client::watch_id id, client::connection::watch_kind kind) {
    connection_->forget(path, id, kind);
  }
  /// Whether a server has confirmed it; none: nothing was told.
  std::optional<bool> close();

  /// Whether the line has been told at `from` or later.
  [[nodiscard]] bool wait_for(const std::string& line, std::size_t from = 0);
  [[nodiscard]] bool wait_connected(std::size_t from = 0) { return wait_for("connected", from); }
  [[nodiscard]] lines told(std::size_t from = 0) const;
  [[nodiscard]] std::size_t told_count() const { return told().size(); }
  [[nodiscard]] std::size_t count(const std::string& line) const;
  [[nodiscard]] std::size_t index_of(const std::string& line) const;  ///< told_count() when it was not told
  [[nodiscard]] client::session_event session() const;                ///< of the last "connected"

  std::function<void(peer&)> when_connected;  ///< set before anything can be told
  std::function<void(client::request_id)> when_answered;

 private:
  void on_reply(client::request_id id, const client::reply_view& answer) override;
  void on_node_event(client::watch_id id, client::node_event event) override;
  void on_session_event(const client::session_event& event) override;
  void on_closed(bool confirmed) override;
  void tell(std::string line);

  mutable annotated_mutex mutex_;
  annotated_condition changed_;
  lines told_ ZKLOCK_GUARDED_BY(mutex_);
  std::map<client::request_id, client::reply> replies_ ZKLOCK_GUARDED_BY(mutex_);
  client::session_event session_ ZKLOCK_GUARDED_BY(mutex_);
  client::request_id last_request_ ZKLOCK_GUARDED_BY(mutex_) = 0;
  client::watch_id last_watch_ = 0;
  bool closed_ = false;
  std::shared_ptr<client::factory> factory_;
  std::unique_ptr<client::connection> connection_;
};

}  // namespace zklock::contract
