#include "src/api/session_end.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <thread>

#include <zklock/error.hpp>

#include "src/api/acquirable_state.hpp"
#include "src/api/session_impl.hpp"
#include "src/threads/thread_safety.hpp"
#include "src/zookeeper/c_client.hpp"
#include "src/zookeeper/server_list.hpp"

namespace zklock::detail {
namespace {

using std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto between_attempts = 50ms;
constexpr std::chrono::milliseconds attempt_min = 100ms, attempt_max = 2s;

/// Waits for what a connection becomes.
class end_observer final : public client::observer {
 public:
  void on_reply(client::request_id, const client::reply_view&) override {}
  void on_node_event(client::watch_id, client::node_event) override {}
  void on_session_event(const client::session_event& event) override {
    const scoped_lock_on lock(mutex_);
    if (event.state != client::connection_state::connecting) {
      became_ = event.state;
      changed_.notify_all();
    }
  }
  void on_closed(bool confirmed) override {
    const scoped_lock_on lock(mutex_);
    confirmed_ = confirmed;
    changed_.notify_all();
  }

  [[nodiscard]] std::optional<client::connection_state> became(steady_clock::time_point until) {
    const scoped_lock_on lock(mutex_);
    while (!became_ && changed_.wait_until(mutex_, until) != std::cv_status::timeout) {}
    return became_;
  }
  [[nodiscard]] bool confirmed() {
    const scoped_lock_on lock(mutex_);
    while (!confirmed_) {
      changed_.wait(mutex_);
    }
    return *confirmed_;
  }

 private:
  annotated_mutex mutex_;
  annotated_condition changed_;
  std::optional<client::connection_state> became_ ZKLOCK_GUARDED_BY(mutex_);
  std::optional<bool> confirmed_ ZKLOCK_GUARDED_BY(mutex_);
};

/// One connection, which tries one server after the other. None: it is to be tried again.
std::optional<std::string> attempt(client::factory& servers, const client::parameters& with,
                                   steady_clock::time_point until) {
  end_observer told;
  const std::unique_ptr<client::connection> connection = servers.open(with, told);
  const auto became = told.became(until);
  std::string failure = servers.last_failure();
  connection->close();
  const bool confirmed = told.confirmed();
  if (became == client::connection_state::expired) {
    return "";  // it was over before
  }
  if (became == client::connection_state::auth_failed) {
    return make_error_code(errc::authentication_failed).message();
  }
  if (became == client::connection_state::connected) {
    return confirmed ? std::optional<std::string>("") : std::nullopt;
  }
  return failure.empty() ? "no server has answered" : failure;
}

}  // namespace

client::session_key key_of(const session& of) { return session_access::impl(of)->status().key(); }

std::string end_session(const std::string& servers, const client::session_key& key, const std::string& auth,
                        std::chrono::milliseconds limit) {
  const auto until = steady_clock::now() + limit;
  std::string why = "no server has answered";
  do {
    try {
      const auto list = client::c_client_factory(client::server_list::parse(servers));
      // A server that is silent is given up after two thirds of this: each gets its turn within the limit.
      const auto each = std::clamp<std::chrono::milliseconds>(
          limit / static_cast<std::int64_t>(std::max<std::size_t>(1, list->server_count())), attempt_min, attempt_max);
      client::parameters with{.timeout = each, .resumed = key};
      if (!auth.empty()) {
        with.auth_scheme = "digest";
        with.auth_credentials = auth;
      }
      if (const auto answer = attempt(*list, with, until)) {
        return *answer;
      }
    } catch (const std::exception& failure) {
      why = failure.what();
    }
    std::this_thread::sleep_for(between_attempts);
  } while (steady_clock::now() < until);
  return why;
}

}  // namespace zklock::detail
