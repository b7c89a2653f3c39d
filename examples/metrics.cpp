// What Prometheus scrapes: an endpoint of its own, for programs that have no web server yet.
//
//     metrics SERVERS [PORT]    e.g. 127.0.0.1:2181/example 9110: holds a lock until its stdin ends; without a port it
//                               scrapes itself once
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <thread>

#include <zklock/prometheus.hpp>
#include <zklock/zklock.hpp>

using namespace std::chrono_literals;

//! [endpoint]
// Answers whoever connects to 127.0.0.1 with the session's figures, one after the other.
class metrics_endpoint {
 public:
  metrics_endpoint(const zklock::session& of, std::uint16_t port) : of_(of), listens_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in at{
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
    socklen_t size = sizeof at;
    if (bind(listens_, reinterpret_cast<sockaddr*>(&at), size) != 0 || listen(listens_, 8) != 0 ||
        getsockname(listens_, reinterpret_cast<sockaddr*>(&at), &size) != 0) {
      throw std::system_error(errno, std::generic_category(), "port " + std::to_string(port));
    }
    port_ = ntohs(at.sin_port);
    serves_ = std::jthread([this] { serve(); });
  }
  ~metrics_endpoint() {
    shutdown(listens_, SHUT_RDWR);  // accept() returns
    serves_.join();
    close(listens_);
  }
  [[nodiscard]] std::uint16_t port() const { return port_; }

 private:
  void serve() const {
    for (int client = 0; (client = accept(listens_, nullptr, nullptr)) >= 0; close(client)) {
      std::array<char, 4096> request{};
      static_cast<void>(read(client, request.data(), request.size()));  // whatever it is
      std::ostringstream body;
      zklock::write_prometheus(body, of_.statistics());
      const std::string answer = "HTTP/1.0 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\n\r\n" + body.str();
      for (std::size_t sent = 0; sent < answer.size();) {
        const ssize_t more = send(client, answer.data() + sent, answer.size() - sent, MSG_NOSIGNAL);
        if (more <= 0) break;
        sent += static_cast<std::size_t>(more);
      }
    }
  }

  const zklock::session& of_;
  const int listens_;
  std::uint16_t port_ = 0;
  std::jthread serves_;
};
//! [endpoint]

//! [name]
// The name is what the figures are of: never a path or an id, of which there may be many.
zklock::recursive_mutex lock_of(zklock::session& session, const std::string& order) {
  return {session, "/orders/" + order, {.name = "orders"}};
}
//! [name]

//! [lock events]
// A line for each thing that becomes of a lock, for an audit: who had it when, under which token, and how long.
zklock::lock_observer audit(zklock::session& session, std::ostream& to) {
  return session.observe_locks([&to](const zklock::lock_event& one) {
    const double seconds = std::chrono::duration<double>(one.after).count();
    to << std::string(to_string(one.what)) + ' ' + one.path + " token " + std::to_string(one.token.number()) +
              " after " + std::to_string(seconds) + " s\n";  // a line at once: others may write beside it
  });
}
//! [lock events]

std::string scraped_from(std::uint16_t port) {
  const int server = socket(AF_INET, SOCK_STREAM, 0);
  const sockaddr_in at{
      .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
  std::string text;
  if (connect(server, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0 &&
      write(server, "GET / HTTP/1.0\r\n\r\n", 18) == 18) {
    std::array<char, 4096> part{};
    for (ssize_t size = 0; (size = read(server, part.data(), part.size())) > 0;) {
      text.append(part.data(), static_cast<std::size_t>(size));
    }
  }
  close(server);
  return text;
}

int main(int count, char** arguments) try {
  if (count < 2) {
    std::cerr << "usage: metrics SERVERS [PORT]\n";
    return 64;
  }
  zklock::session session(arguments[1], {.label = "example"});
  const zklock::lock_observer audited = audit(session, std::cerr);
  const metrics_endpoint endpoint(session, count > 2 ? static_cast<std::uint16_t>(std::atoi(arguments[2])) : 0);
  zklock::recursive_mutex order = lock_of(session, "4711");
  {
    const zklock::grant held = order.acquire();
    if (count == 2) std::cout << scraped_from(endpoint.port());
    // How near a loss it is: below 0.2 something is wrong with the servers, or between.
    std::cerr << "left: " << session.statistics().least_deadline_left.value_or(1) << " of the session timeout\n";
    while (count > 2 && std::cin.get() != EOF) {}  // until stdin ends
  }
  session.close();  // what is still to be told is told
  return 0;
} catch (const std::exception& failure) {
  std::cerr << failure.what() << '\n';
  return 1;
}
