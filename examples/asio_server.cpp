// An echo server on one thread: each request takes the lock of its key, across all servers that share a ZooKeeper, and is
// answered with the token under which it ran. Requests that wait cost memory, and no thread. With standalone Asio.
//
//     asio_server SERVERS PORT       e.g. 127.0.0.1:2181/example 7001
//
//     echo "disk-7 hello" | nc 127.0.0.1 7001       hello z0000000000001234-000
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include <asio/awaitable.hpp>
#include <asio/buffer.hpp>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/read_until.hpp>
#include <asio/redirect_error.hpp>
#include <asio/signal_set.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/write.hpp>
#include <zklock/asio.hpp>
#include <zklock/zklock.hpp>

using asio::use_awaitable;
using asio::ip::tcp;

// One lock object a key; they stay, as each is small.
class locks {
 public:
  explicit locks(zklock::session& session) : session_(session) {}
  zklock::recursive_mutex& of(const std::string& key) {
    std::unique_ptr<zklock::recursive_mutex>& one = all_[key];
    if (!one) one = std::make_unique<zklock::recursive_mutex>(session_, "/keys/" + key);
    return *one;
  }

 private:
  zklock::session& session_;
  std::map<std::string, std::unique_ptr<zklock::recursive_mutex>> all_;
};

// A connection, request after request.
asio::awaitable<void> serve(tcp::socket peer, locks& all) {
  std::string text;
  try {
    for (;;) {
      const std::size_t size = co_await asio::async_read_until(peer, asio::dynamic_buffer(text), '\n', use_awaitable);
      const std::string line = text.substr(0, size - 1);
      text.erase(0, size);
      const std::size_t space = line.find(' ');
      std::string answer = "no key\n";
      zklock::grant held;
      if (space != std::string::npos && space != 0) {
        held = co_await zklock::async_acquire(all.of(line.substr(0, space)), use_awaitable);
        answer = line.substr(space + 1) + ' ' + to_string(held.token()) + '\n';
      }
      co_await asio::async_write(peer, asio::buffer(answer), use_awaitable);
      if (held) co_await zklock::async_release(std::move(held), use_awaitable);
    }
  } catch (const std::system_error& failure) {  // Asio's; or a zklock::error of a key that cannot be a path
    if (failure.code() != asio::error::eof) std::cerr << failure.what() << '\n';
  }
}

asio::awaitable<void> listen(tcp::acceptor acceptor, locks& all) {
  for (;;) {
    asio::error_code refused;
    tcp::socket peer = co_await acceptor.async_accept(asio::redirect_error(use_awaitable, refused));
    if (!refused) {
      asio::co_spawn(acceptor.get_executor(), serve(std::move(peer), all), asio::detached);
      continue;
    }
    std::cerr << "accept: " << refused.message() << '\n';  // e.g. no descriptor is left: others will end
    co_await asio::steady_timer(acceptor.get_executor(), std::chrono::milliseconds(100)).async_wait(use_awaitable);
  }
}

int main(int count, char** arguments) {
  if (count != 3) {
    std::cerr << "usage: asio_server SERVERS PORT\n";
    return 64;
  }
  try {
    zklock::session session(arguments[1]);
    locks all(session);
    asio::io_context io(1);
    const auto port = static_cast<asio::ip::port_type>(std::atoi(arguments[2]));
    asio::co_spawn(io, listen(tcp::acceptor(io, {asio::ip::address_v4::loopback(), port}), all), asio::detached);
    asio::signal_set signals(io, SIGTERM, SIGINT);
    signals.async_wait([&io](asio::error_code, int) { io.stop(); });
    io.run();
    return 0;  // what waits goes with `io`, and leaves no node
  } catch (const std::exception& failure) {
    std::cerr << failure.what() << '\n';
    return 69;
  }
}
