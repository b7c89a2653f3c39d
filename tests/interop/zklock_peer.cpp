// A process that takes part in locks by this library; the words are those of peer.hpp, each answered with a line.
// Arguments: servers, session timeout in ms, and a label if there is to be one.
#include <zklock/zklock.hpp>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "tests/interop/hammer.hpp"
#include "tests/interop/own_locks.hpp"

namespace {

using words = std::vector<std::string>;
using namespace std::chrono_literals;

class zklock_peer {
 public:
  zklock_peer(const std::string& servers, std::chrono::milliseconds timeout, const std::string& label)
      : session_(servers, {.timeout = timeout}), locks_(session_, label) {}

  std::string answer(const words& order) {
    const std::map<std::string, std::function<std::string()>> known{
        {"connect", [this] { return session_.wait_connected_for(30s) ? "connected" : "not in time"; }},
        {"acquire",
         [&] { return acquire(order.at(1), order.at(2), std::chrono::milliseconds(std::stol(order.at(3)))); }},
        {"release", [&] { return release(order.at(1) + " " + order.at(2)); }},
        {"downgrade", [&] { return downgrade(order.at(1)); }},
        {"asked", [&] { return asked(order.at(1) + " " + order.at(2)); }},
        {"state", [&] { return state_of(order.at(1) + " " + order.at(2)); }},
        {"hammer", [&] { return strike(order); }},
        {"participants", [&] { return participants(order.at(1), order.at(2)); }}};
    const auto found = known.find(order.empty() ? "" : order.front());
    return found == known.end() ? "no such order" : found->second();
  }

 private:
  std::string acquire(const std::string& kind, const std::string& paths, std::chrono::milliseconds limit) {
    std::error_code ec;
    zklock::grant got = locks_.acquire(kind, paths, limit, ec);
    if (!got) return ec ? "failed: " + ec.message() : "not in time";
    held_[kind + " " + paths].push_back(std::move(got));
    return "held";
  }

  std::string release(const std::string& what) {
    std::vector<zklock::grant>& grants = held_[what];
    if (grants.empty()) return "failed: not held";
    std::error_code ec;
    grants.back().release(ec);
    grants.pop_back();
    return ec ? "failed: " + ec.message() : "released";
  }

  /// What was the write side is the read side's to be released from here on.
  std::string downgrade(const std::string& path) {
    std::vector<zklock::grant>& written = held_["write " + path];
    written.back().downgrade();
    held_["read " + path].push_back(std::move(written.back()));
    written.pop_back();
    return "downgraded";
  }

  std::string asked(const std::string& what) {
    const std::vector<zklock::grant>& grants = held_[what];
    return !grants.empty() && grants.back().revocation_requested().stop_requested() ? "asked" : "not asked";
  }

  std::string state_of(const std::string& what) {
    const std::vector<zklock::grant>& grants = held_[what];
    return grants.empty() ? "none" : grants.back().held() ? "held" : "lost";
  }

  std::string strike(const words& order) {
    return zklock::interop::hammer(locks_, order.at(1), order.at(2), order.at(3))
        .strike(order.at(4).front(), order.at(5), std::stoi(order.at(6)));
  }

  std::string participants(const std::string& kind, const std::string& path) {
    std::string names;
    for (const std::string& one : locks_.participants(kind, path)) {
      names += (names.empty() ? "" : " ") + one;
    }
    return names;
  }

  zklock::session session_;
  zklock::interop::own_locks locks_;
  std::map<std::string, std::vector<zklock::grant>> held_;
};

words split(const std::string& line) {
  std::istringstream from(line);
  words all;
  for (std::string word; from >> word;) {
    all.push_back(word);
  }
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    return EXIT_FAILURE;
  }
  zklock_peer it(argv[1], std::chrono::milliseconds(std::stol(argv[2])), argc > 3 ? argv[3] : "");
  for (std::string line; std::getline(std::cin, line);) {
    try {
      std::cout << it.answer(split(line)) << std::endl;
    } catch (const std::exception& failure) {
      std::cout << "failed: " << failure.what() << std::endl;
    }
  }
}
