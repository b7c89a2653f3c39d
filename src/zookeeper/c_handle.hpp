#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "src/port/client.hpp"
#include "src/threads/one_time_event.hpp"
#include "src/zookeeper/credentials.hpp"
#include "src/zookeeper/delivery.hpp"
#include "src/zookeeper/handle_gate.hpp"
#include "src/zookeeper/multi_flights.hpp"
#include "src/zookeeper/pending_watches.hpp"
#include "src/zookeeper/told_session.hpp"
#include "src/zookeeper/unanswered_requests.hpp"

struct _zhandle;

namespace zklock::client {

class connection_failure;

/// A handle of the C client, ours or the program's, and what its callbacks reach. Outlives the connection that made it
/// for as long as a callback needs it.
class c_handle : public std::enable_shared_from_this<c_handle> {
 public:
  enum class owner : std::uint8_t { us, program };

  /// Callbacks reach it from here on.
  /// `met`: forgets what it has met once the handle is connected. May be null.
  [[nodiscard]] static std::shared_ptr<c_handle> make(observer& to, owner whose, const parameters& with = {},
                                                      std::shared_ptr<connection_failure> met = {});
  c_handle(observer& to, owner whose, const parameters& with, std::shared_ptr<connection_failure> met);
  ~c_handle();

  [[nodiscard]] std::uint32_t number() const noexcept { return number_; }
  /// Once, with the handle, which gets the credentials, or with nullptr when none could be had. Session events wait for
  /// it.
  void start(_zhandle* handle);

  void submit(request_id id, any_request&& what);
  void forget(std::string_view path, watch_id id, connection::watch_kind kind);
  /// Asks the handle for its state, and tells a change.
  void look();
  [[nodiscard]] bool expired();

  /// Nothing is told, and no call on the handle begun, from here on.
  void begin_close();
  /// After begin_close(), on a thread of its own: closes the handle if it is ours, then tells on_closed.
  void finish_close();

  // --- for the callbacks ---
  void on_session(int state);
  void on_watch(watch_id id, int type, int state);
  void on_reply(request_id id, const reply_view& answer);
  /// The results of a multi, which is answered. Null if it is not known.
  [[nodiscard]] std::unique_ptr<multi_flight> take_flight(request_id id);

 private:
  void offer_credentials();
  [[nodiscard]] int send(request_id id, any_request& what);
  void answer_locally(request_id id, code why);
  void remove_if_forgotten(request_id id);
  void remove_watch(std::string_view path, watch_id id, connection::watch_kind kind, bool may_be_under_way);
  [[nodiscard]] bool may_be_called_back();
  void await_answers();
  [[nodiscard]] bool close_own();
  void retire();

  // Called with the turn.
  void look_in_turn(observer& to);
  void notify(observer& to, connection_state state);
  void look_before_reply(observer& to, code answer);
  void look_for_another_timeout(observer& to);

  const owner whose_;
  std::uint32_t number_ = 0;    // written before the first callback can come
  _zhandle* handle_ = nullptr;  // written before started_
  detail::one_time_event started_;
  const std::shared_ptr<connection_failure> met_;
  credentials credentials_;
  unanswered_requests unanswered_;
  handle_gate gate_;
  delivery delivery_;
  told_session told_;
  pending_watches watches_;
  multi_flights flights_;
};

}  // namespace zklock::client
