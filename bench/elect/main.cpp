// From a leader's resignation to the next one's term, beside the same of a bare mutex, in turns in one run.
//
//     zklock_bench_elect SERVERS ROUNDS     prints one line of JSON: medians in microseconds, and their ratio
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <future>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include <zklock/zklock.hpp>

namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;
using micro = std::chrono::duration<double, std::micro>;

/// Two that contend for one path. From the call of release to the end of the other one's wait; then that one gives back.
template <class Acquire, class Wait>
double hand_over(Acquire&& acquire, Wait&& stands) {
  auto held = acquire(0);
  auto next = std::async(std::launch::async, [&] {
    auto got = acquire(1);
    return std::pair(clock::now(), std::move(got));
  });
  while (!stands()) {
    std::this_thread::sleep_for(200us);
  }
  std::this_thread::sleep_for(2ms);  // its watch stands
  const auto begun = clock::now();
  held.release();
  return micro(next.get().first - begun).count();
}

double median(std::vector<double> of) {
  std::nth_element(of.begin(), of.begin() + static_cast<std::ptrdiff_t>(of.size() / 2), of.end());
  return of[of.size() / 2];
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    std::cerr << "usage: zklock_bench_elect SERVERS ROUNDS\n";
    return 64;
  }
  try {
    zklock::session one(arguments[1], {.timeout = 30s}), two(arguments[1], {.timeout = 30s});
    if (!one.wait_connected_for(30s) || !two.wait_connected_for(30s)) throw std::runtime_error("not connected");
    const zklock::lock_options as_curator{.layout = zklock::layout::curator};
    zklock::recursive_mutex first(one, "/bench/mutex", as_curator), second(two, "/bench/mutex", as_curator);
    zklock::election ann(one, "/bench/election", {.data = "ann"}), bob(two, "/bench/election", {.data = "bob"});
    std::vector<double> mutexes, elections;
    for (long round = std::atol(arguments[2]); round > 0; --round) {
      mutexes.push_back(hand_over([&](int which) { return (which == 0 ? first : second).acquire(); },
                                  [&] { return first.queue().size() == 2; }));
      elections.push_back(hand_over([&](int which) { return (which == 0 ? ann : bob).campaign(); },
                                    [&] { return ann.queue().size() == 2; }));
    }
    std::cout << "{\"mutex\":" << median(mutexes) << ",\"election\":" << median(elections)
              << ",\"ratio\":" << median(elections) / median(mutexes) << "}\n";
    return 0;
  } catch (const std::exception& failure) {
    std::cerr << failure.what() << '\n';
    return 69;
  }
}
