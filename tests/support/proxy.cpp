#include "tests/support/proxy.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <future>
#include <list>
#include <mutex>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

#include "tests/support/loopback.hpp"
#include "tests/support/proxy_connection.hpp"

namespace zklock::test_support {

/// The thread, and what it alone touches: everything but the list of orders to it.
class proxy::loop {
 public:
  loop(std::uint16_t server_port, protocol speaks)
      : server_port_(server_port),
        speaks_(speaks),
        listener_(listen_on_loopback()),
        port_(local_port(listener_)),
        wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        thread_([this] { run(); }) {}

  ~loop() {
    order([this] { stopping_ = true; });
    thread_.join();
    for (proxy_connection& connection : connections_) connection.cut();
  }

  [[nodiscard]] std::uint16_t port() const { return port_; }

  /// Has the thread do it, and waits for that.
  void order(std::function<void()> what) {
    std::packaged_task<void()> task(std::move(what));
    std::future<void> done = task.get_future();
    {
      const std::lock_guard guard(orders_mutex_);
      orders_.push_back(std::move(task));
    }
    ::eventfd_write(wake_.get(), 1);
    done.get();
  }

  void cut_all() {
    for (proxy_connection& connection : connections_) connection.cut();
    connections_.clear();
    waiting_.clear();
  }

  void reset_clients() {
    for (proxy_connection& connection : connections_) connection.reset_client();
  }

  // For orders only.
  proxy_settings settings;
  std::chrono::milliseconds patience{0};
  std::size_t accepted = 0;
  [[nodiscard]] std::size_t open() const { return connections_.size(); }

 private:
  using clock = proxy_connection::clock;
  static constexpr std::chrono::milliseconds between_tries{10};

  void run() {
    while (!stopping_) {
      sleep();
      carry_out_orders();
      accept_all();
      serve_waiting();
      const clock::time_point now = clock::now();
      std::erase_if(connections_, [now](proxy_connection& connection) { return !connection.advance(now); });
    }
  }

  void sleep() {
    const clock::time_point now = clock::now();
    std::vector<pollfd> entries{{wake_.get(), POLLIN, 0}, {listener_.get(), POLLIN, 0}};
    std::optional<clock::time_point> until;
    if (!waiting_.empty()) until = now + between_tries;
    for (const proxy_connection& connection : connections_) {
      const auto [client, server] = connection.interests(now);
      for (const auto& one : {client, server}) {
        if (one.events != 0) entries.push_back({one.socket, one.events, 0});
      }
      const auto due = connection.next_due(now);
      if (due && (!until || *due < *until)) until = due;
    }
    const auto left = until ? std::chrono::ceil<std::chrono::milliseconds>(*until - now).count() : -1;
    ::poll(entries.data(), entries.size(), static_cast<int>(left));
  }

  void carry_out_orders() {
    eventfd_t ignored = 0;
    ::eventfd_read(wake_.get(), &ignored);
    std::vector<std::packaged_task<void()>> orders;
    {
      const std::lock_guard guard(orders_mutex_);
      orders.swap(orders_);
    }
    for (auto& order : orders) order();
  }

  [[nodiscard]] bool refuses() const { return settings.mode == proxy_mode::cut || settings.mode == proxy_mode::refuse; }

  void accept_all() {
    for (;;) {
      descriptor client(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
      if (client.get() < 0) return;
      ++accepted;
      reset_on_close(client);  // until it is known to be served
      if (refuses()) continue;
      serve({std::move(client), clock::now() + patience});
    }
  }

  struct waiting_client {
    descriptor socket;
    clock::time_point until;
  };

  void serve(waiting_client client) try {
    // To be patient one has to know whether it is refused.
    descriptor server =
        patience.count() > 0 ? connect_to_loopback(server_port_) : begin_connecting_to_loopback(server_port_);
    close_politely(client.socket);
    connections_.emplace_back(accepted, std::move(client.socket), std::move(server), speaks_, settings);
  } catch (const std::system_error&) {
    if (clock::now() < client.until) waiting_.push_back(std::move(client));
    // else no server: the client's end is reset
  }

  void serve_waiting() {
    if (refuses()) waiting_.clear();
    for (waiting_client& client : std::exchange(waiting_, {})) serve(std::move(client));
  }

  std::uint16_t server_port_;
  protocol speaks_;
  descriptor listener_;
  std::uint16_t port_;
  descriptor wake_;
  std::list<proxy_connection> connections_;
  std::vector<waiting_client> waiting_;
  bool stopping_ = false;
  std::mutex orders_mutex_;
  std::vector<std::packaged_task<void()>> orders_;
  std::thread thread_;  // the last member: it uses the others
};

proxy::proxy(std::uint16_t server_port, protocol speaks) : loop_(std::make_unique<loop>(server_port, speaks)) {}
proxy::~proxy() = default;

std::uint16_t proxy::port() const noexcept { return loop_->port(); }
std::string proxy::address() const { return "127.0.0.1:" + std::to_string(port()); }

void proxy::set_mode(proxy_mode mode) {
  loop_->order([&] {
    loop_->settings.mode = mode;
    if (mode == proxy_mode::cut) loop_->cut_all();
  });
}

void proxy::set_delay(std::chrono::milliseconds delay) {
  loop_->order([&] { loop_->settings.delay = delay; });
}

void proxy::set_patience(std::chrono::milliseconds patience) {
  loop_->order([&] { loop_->patience = patience; });
}

void proxy::cut_now() {
  loop_->order([&] { loop_->cut_all(); });
}

void proxy::reset_clients() {
  loop_->order([&] { loop_->reset_clients(); });
}

void proxy::on_request(std::function<verdict(const request_frame&)> hook) {
  loop_->order([&] { loop_->settings.on_request = std::move(hook); });
}

void proxy::on_reply(std::function<verdict(const reply_frame&)> hook) {
  loop_->order([&] { loop_->settings.on_reply = std::move(hook); });
}

void proxy::on_bytes(std::function<void(std::string_view)> hook) {
  loop_->order([&] { loop_->settings.on_bytes = std::move(hook); });
}

void proxy::rewrite_requests(std::function<void(const request_frame&, std::string&)> hook) {
  loop_->order([&] { loop_->settings.rewrite_request = std::move(hook); });
}

void proxy::rewrite_replies(std::function<void(const reply_frame&, std::string&)> hook) {
  loop_->order([&] { loop_->settings.rewrite_reply = std::move(hook); });
}

std::size_t proxy::accepted() const {
  std::size_t count = 0;
  loop_->order([&] { count = loop_->accepted; });
  return count;
}

std::size_t proxy::open() const {
  std::size_t count = 0;
  loop_->order([&] { count = loop_->open(); });
  return count;
}

session_credentials proxy::last_session() const {
  session_credentials session;
  loop_->order([&] { session = loop_->settings.last_session; });
  return session;
}

void expire_session(std::uint16_t port, const session_credentials& victim) {
  const descriptor socket = connect_to_loopback(port);
  const std::string bytes = takeover_and_close(victim);
  if (::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(bytes.size())) {
    throw std::system_error(errno, std::generic_category(), "expire_session");
  }
  std::string answer;
  std::array<char, 1024> chunk{};
  for (;;) {  // the server answers both requests and hangs up
    const ssize_t count = ::recv(socket.get(), chunk.data(), chunk.size(), 0);
    if (count <= 0) break;
    answer.append(chunk.data(), static_cast<std::size_t>(count));
  }
  const auto handshake = whole_frame(answer);
  if (!handshake) throw no_answer("expire_session: the server has hung up without an answer");
  if (parse_handshake_reply(answer).id != victim.id) {
    throw std::runtime_error("expire_session: there is no session " + std::to_string(victim.id));
  }
}

}  // namespace zklock::test_support
