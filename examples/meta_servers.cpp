// A service of several processes, one of which leads. Any of them answers who leads, from memory; the leader alone takes
// beacons, and writes each with the token of its term. Start three.
//
//     meta_servers SERVERS PORT STORE   e.g. 127.0.0.1:2181/example 7001 /tmp/store
//
//     echo who | nc 127.0.0.1 7001              LEADER 127.0.0.1:7002 z0000000000001234-000, or NOBODY
//     echo beacon disk-7 | nc 127.0.0.1 7001    TAKEN z0000000000001234-000, or REDIRECT 127.0.0.1:7002, or NOBODY
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <exception>
#include <iostream>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/asio/write.hpp>
#include <zklock/zklock.hpp>

using namespace std::chrono_literals;
using boost::asio::ip::tcp;

//! [store]
// Where beacons go: a file that only records. A real store should refuse a token that is smaller than one that it has seen.
class store {
 public:
  explicit store(const char* file) : file_(open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644)) {
    if (file_ < 0) throw std::runtime_error(std::string("cannot write ") + file);
  }
  ~store() { close(file_); }
  store(const store&) = delete;
  store& operator=(const store&) = delete;

  bool write(zklock::fencing_token token, const std::string& beacon) {
    const std::string line = to_string(token) + " " + beacon + "\n";
    return ::write(file_, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  }

 private:
  const int file_;
};
//! [store]

//! [server]
class meta_server {
 public:
  meta_server(zklock::session& session, const std::string& path, std::string address, store& beacons)
      : election_(session, path, {.data = std::move(address)}), leader_(session, path), beacons_(beacons) {}

  // Leads whenever it is its turn, until `stop`.
  void run(std::stop_token stop) {
    election_.run(
        [this](const zklock::term& term, std::stop_token enough) {
          lead(&term);
          std::mutex mutex;
          std::unique_lock lock(mutex);
          std::condition_variable_any().wait(lock, enough, [] { return false; });
          lead(nullptr);  // waits for the beacon that is being written: the next term begins behind it
        },
        std::move(stop));
  }

  std::string answer(const std::string& request) {
    if (request.starts_with("beacon ")) {
      const std::lock_guard lock(mutex_);
      if (term_ != nullptr && term_->held() && beacons_.write(term_->token(), request.substr(7))) {
        return "TAKEN " + to_string(term_->token()) + "\n";
      }
    }
    const zklock::leader_view now = leader_.current();  // no request: also while ZooKeeper is away
    if (!now) return "NOBODY\n";
    return request == "who" ? "LEADER " + now.data + " " + to_string(now.token) + "\n" : "REDIRECT " + now.data + "\n";
  }

 private:
  void lead(const zklock::term* term) {
    const std::lock_guard lock(mutex_);
    term_ = term;
  }

  zklock::election election_;
  zklock::election_observer leader_;
  store& beacons_;
  std::mutex mutex_;
  const zklock::term* term_ = nullptr;  // while it leads
};
//! [server]

// One request a connection.
void serve(tcp::acceptor& acceptor, meta_server& server) {
  for (;;) {
    try {
      tcp::socket peer = acceptor.accept();
      boost::asio::streambuf buffer(1024);
      const std::size_t size = boost::asio::read_until(peer, buffer, '\n');
      const auto* const text = static_cast<const char*>(buffer.data().data());
      boost::asio::write(peer, boost::asio::buffer(server.answer(std::string(text, size - 1))));
    } catch (const std::exception& failure) {
      std::cerr << failure.what() << '\n';  // of this connection
    }
  }
}

int main(int count, char** arguments) {
  if (count != 4) {
    std::cerr << "usage: meta_servers SERVERS PORT STORE\n";
    return 64;
  }
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  try {
    boost::asio::io_context io;
    tcp::acceptor acceptor(
        io, {boost::asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(std::stoi(arguments[2]))});
    store beacons(arguments[3]);
    zklock::session session(arguments[1], {.timeout = 2s});
    meta_server server(session, "/elections/meta", "127.0.0.1:" + std::string(arguments[2]), beacons);
    std::thread([&] { serve(acceptor, server); }).detach();
    std::stop_source stop;
    std::thread([signals, stop]() mutable {
      int signal = 0;
      sigwait(&signals, &signal);
      stop.request_stop();
    }).detach();
    server.run(stop.get_token());
    std::error_code ec;
    session.close(ec);
    std::cout.flush();
    _exit(0);  // the threads that serve end here
  } catch (const std::exception& failure) {
    std::cerr << failure.what() << '\n';
    return 69;
  }
}
