// Many acquisitions in flight without a thread each, beside a thread each. The driver is bench/async/compare.
//
//     zklock_bench_async SERVERS cycle SECONDS       all ways on the same locks, for so long each, in random order:
//                                                    one line of JSON: cycles a second, and what a cycle takes
//     zklock_bench_async SERVERS wait WAY COUNT      so many wait for a lock: the resident memory of each, and the time in
//                                                    which they are all there, and in which they drain
#include <sys/resource.h>
#include <unistd.h>
#include <zookeeper/zookeeper.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iostream>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>

#include "bench/async/way.hpp"
#include "bench/common/node_count.hpp"

namespace {

using namespace std::chrono_literals;
using seconds = std::chrono::duration<double>;

struct client {
  explicit client(const std::string& servers) : session(servers, {.timeout = 30s}) {
    if (!session.wait_connected_for(30s)) throw std::runtime_error("not connected");
  }
  zklock::session session;
};

std::vector<std::unique_ptr<bench::way>> all_ways() {
  std::vector<std::unique_ptr<bench::way>> all;
  for (const auto make : {bench::threads_way, bench::callbacks_way, bench::awaiter_way, bench::asio_way}) {
    if (std::unique_ptr<bench::way> one = make()) all.push_back(std::move(one));
  }
  return all;
}

// ---- cycle

struct row {
  const char* name;
  int workers, locks;
  zklock::lock_options how;
};

/// Of this process, all threads: the server is another one.
struct spent {
  double seconds = 0;
  long switches = 0;  ///< voluntary context switches: how often a thread went to sleep

  static spent until_now() {
    rusage all{};
    getrusage(RUSAGE_SELF, &all);
    const auto of = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    return {of(all.ru_utime) + of(all.ru_stime), all.ru_nvcsw};
  }
};

/// As JSON.
std::string measured(bench::way& by, zklock::session& session, const row& of, seconds time) {
  std::vector<std::unique_ptr<zklock::recursive_mutex>> locks;
  for (int number = 0; number < of.locks; ++number) {
    locks.push_back(std::make_unique<zklock::recursive_mutex>(
        session, "/async/" + std::string(of.name) + "/" + std::to_string(number), of.how));
  }
  const spent before = spent::until_now();
  const auto begun = bench::clock::now();
  bench::cycling what{locks, of.workers, begun + std::chrono::duration_cast<bench::clock::duration>(time)};
  by.cycle(what);
  const auto cycles = static_cast<double>(what.cycles);
  const double per_second = cycles / seconds(bench::clock::now() - begun).count();
  const spent now = spent::until_now();
  return "{\"per_second\":" + std::to_string(per_second) +
         ",\"cpu_us\":" + std::to_string(1e6 * (now.seconds - before.seconds) / cycles) +
         ",\"switches\":" + std::to_string(static_cast<double>(now.switches - before.switches) / cycles) + "}";
}

void cycle(const std::string& servers, seconds time) {
  client one(servers);
  std::vector<std::unique_ptr<bench::way>> ways = all_ways();
  std::mt19937 lot(std::random_device{}());
  const row rows[] = {{"one_lock_8", 8, 1, {}},
                      {"16_locks_64", 64, 16, {}},
                      {"hand_over_8", 8, 1, {.hand_over = zklock::local_handover{}}}};
  std::string separator = "{";
  for (const row& each : rows) {
    std::shuffle(ways.begin(), ways.end(), lot);
    std::cout << separator << '"' << each.name << "\":";
    separator = "{";
    static_cast<void>(measured(*ways.front(), one.session, each, time / 10));  // makes the lock nodes
    for (const std::unique_ptr<bench::way>& by : ways) {
      std::cout << separator << '"' << by->name() << "\":" << measured(*by, one.session, each, time);
      separator = ",";
    }
    std::cout << '}';
  }
  std::cout << "}" << std::endl;
}

// ---- wait

long resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  long size = 0, resident = 0;
  statm >> size >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

void wait(const std::string& servers, const std::string& name, int count) {
  const std::vector<std::unique_ptr<bench::way>> ways = all_ways();
  const auto by = std::find_if(ways.begin(), ways.end(), [&](const auto& one) { return one->name() == name; });
  if (by == ways.end()) throw std::runtime_error("no such way: " + name);
  bench::node_count nodes(servers);
  client holder(servers), one(servers);
  zklock::recursive_mutex lock(one.session, "/async/wait"), held(holder.session, "/async/wait");
  zklock::grant first = held.acquire();
  static_cast<void>(lock.try_acquire());
  const long before = resident_bytes();
  const auto begun = bench::clock::now();
  const std::unique_ptr<bench::waiting> all = (*by)->wait(lock, count);
  while (nodes.children(lock.path()) < count + 1) {
    std::this_thread::sleep_for(10ms);
  }
  const auto joined = bench::clock::now();
  std::this_thread::sleep_for(5s);  // two twelfths of the session timeout: the watches stand
  const long resident = resident_bytes() - before;
  const auto let_go = bench::clock::now();
  first = {};
  all->wait_done();
  const auto drained = bench::clock::now();
  const double each_us = 1e6 / count;
  std::cout << "{\"way\":\"" << name << "\",\"bytes\":" << resident / count
            << ",\"joined_us\":" << seconds(joined - begun).count() * each_us
            << ",\"drained_us\":" << seconds(drained - let_go).count() * each_us << "}" << std::endl;
}

}  // namespace

int main(int count, char** arguments) {
  zoo_set_debug_level(ZOO_LOG_LEVEL_ERROR);
  const bool cycles = count == 4 && std::strcmp(arguments[2], "cycle") == 0;
  if (!cycles && !(count == 5 && std::strcmp(arguments[2], "wait") == 0)) {
    std::cerr << "usage: zklock_bench_async SERVERS cycle SECONDS\n"
                 "       zklock_bench_async SERVERS wait threads|callbacks|awaiter|asio COUNT\n";
    return 64;
  }
  try {
    cycles ? cycle(arguments[1], seconds(std::stod(arguments[3])))
           : wait(arguments[1], arguments[3], std::stoi(arguments[4]));
    return 0;
  } catch (const std::exception& failure) {
    std::cerr << failure.what() << '\n';
    return 69;
  }
}
