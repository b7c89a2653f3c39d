// A process that holds a lock, for tests that stop or kill it: does what its stdin says, a line at a time, and answers
// each with a line. Arguments: connect string, session timeout in ms.
#include <zklock/zklock.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <system_error>

namespace {

/// One session, and one lock at a time.
class holder {
 public:
  holder(const std::string& servers, std::chrono::milliseconds timeout) : session_(servers, {.timeout = timeout}) {}

  std::string answer(const std::string& order, const std::string& path) {
    const std::map<std::string, std::function<std::string()>> known{
        {"acquire", [&] { return acquire(path); }},
        {"ask", [this] { return answer(); }},
        {"release", [this] { return release(); }},
        {"stop-and-ask", [this] { return stop_and_ask(); }},
        {"check-stop-and-release", [this] { return check_stop_and_release(); }}};
    const auto found = known.find(order);
    return found == known.end() ? "no such order: " + order : found->second();
  }

 private:
  std::string acquire(const std::string& path) {
    lock_ = std::make_unique<zklock::recursive_mutex>(session_, path);
    std::error_code ec;
    held_ = lock_->acquire(ec);
    return ec ? ec.message() : std::to_string(held_.token().czxid) + " " + held_.node();
  }

  [[nodiscard]] std::string answer() const { return held_.held() ? "held" : "not held"; }

  std::string release() {
    std::error_code ec;
    held_.release(ec);
    return ec ? ec.message() : "released";
  }

  // Stopped by its own hand, the process stands at a known line: what it asks on the next one is its first question.
  std::string stop_and_ask() {
    static_cast<void>(std::raise(SIGSTOP));
    return answer();
  }

  std::string check_stop_and_release() {
    const std::string before = answer();
    static_cast<void>(std::raise(SIGSTOP));
    return before + ", then " + release();
  }

  zklock::session session_;
  std::unique_ptr<zklock::recursive_mutex> lock_;
  zklock::grant held_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    return EXIT_FAILURE;
  }
  holder it(argv[1], std::chrono::milliseconds(std::stoi(argv[2])));
  for (std::string line; std::getline(std::cin, line);) {
    const std::size_t space = std::min(line.find(' '), line.size());
    const std::string order = line.substr(0, space);
    const std::string path = line.substr(std::min(space + 1, line.size()));
    std::cout << it.answer(order, path) << std::endl;
  }
}
