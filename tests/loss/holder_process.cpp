// A holder in a process of its own, to be stopped as a whole. Acquires, says what it has, and goes on asking; once the hold
// is lost it says what it saw. Ends with its standard input.
//
//   zklock_loss_holder SERVERS TIMEOUT_MS PATH
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>

#include "tests/loss/observed_hold.hpp"
#include "tests/support/eventually.hpp"

namespace zklock::test {
namespace {

auto count_of(instant at) { return at.time_since_epoch().count(); }

int hold(const char* servers, std::chrono::milliseconds timeout, const char* path) {
  session one(servers, {.timeout = timeout});
  recursive_mutex lock(one, path);
  const grant held = lock.as(owner::this_thread()).acquire();
  observed_hold seen(lock.as(owner::this_thread()).acquire());
  std::cout << held.node() << ' ' << held.token().czxid << ' ' << one.margin().count() << std::endl;
  std::jthread telling([&](const std::stop_token& over) {
    const auto told = [&] { return over.stop_requested() || (seen.says_no() && seen.noticed()); };
    while (!test_support::eventually(told)) {}
    const hold_record saw = seen.finish();
    std::cout << count_of(saw.last_yes) << ' ' << count_of(saw.first_no.value_or(instant{})) << ' '
              << count_of(saw.noticed.value_or(instant{})) << ' ' << saw.notices << ' ' << static_cast<int>(saw.reason)
              << ' ' << count_of(saw.valid_until) << std::endl;
  });
  std::string line;
  std::getline(std::cin, line);
  return 0;
}

}  // namespace
}  // namespace zklock::test

int main(int count, char** arguments) try {
  if (count != 4) {
    return 64;
  }
  return zklock::test::hold(arguments[1], std::chrono::milliseconds(std::atoi(arguments[2])), arguments[3]);
} catch (const std::exception& failure) {
  std::cerr << failure.what() << '\n';
  return 1;
}
