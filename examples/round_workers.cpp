// Many workers, in many processes, and rounds of work that only one of them is to do: each tries once, and skips what another
// one has. Two processes are killed on the way. Says how it went, and fails if two were ever in one round.
//
//     round_workers SERVERS [SECONDS [keep]]       e.g. 127.0.0.1:2181/rounds 20; keep: with locks that stay
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <deque>
#include <iostream>
#include <new>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <zklock/zklock.hpp>

using namespace std::chrono_literals;

namespace {

constexpr int processes = 20;
constexpr int threads = 10;  // of each
constexpr int rounds = 50;   // the locks
constexpr int killed = 2;    // processes

/// What all processes see.
struct board {
  std::array<std::atomic<pid_t>, rounds> at_work{};  ///< who is; 0: nobody, as far as one has said so
  std::atomic<long> worked{0}, skipped{0}, named{0}, beside{0}, failed{0};
  std::atomic<bool> over{false};
};

/// For a moment one that was killed is still said to be at work.
bool lives(pid_t one) { return kill(one, 0) == 0 || errno != ESRCH; }

void work(board& all, std::size_t round) {
  const pid_t before = all.at_work[round].exchange(getpid());
  if (before != 0 && lives(before)) ++all.beside;
  std::this_thread::sleep_for(5ms);
  all.at_work[round] = 0;
  ++all.worked;
}

//! [worker]
// Each 100 ms one of the rounds: work if nobody else does it, else skip it, and note whose it is.
void take_rounds(std::deque<zklock::semaphore_mutex>& locks, board& all, unsigned seed) {
  std::mt19937 random(seed);
  while (!all.over) {
    const std::size_t round = random() % locks.size();
    zklock::participant who;
    std::error_code ec;
    if (const zklock::grant mine = locks[round].try_acquire(who, ec)) {
      work(all, round);
    } else if (ec) {  // an outage, say: the next round may be granted
      ++all.failed;
    } else {
      ++all.skipped;
      all.named += who.label.empty() ? 0 : 1;  // "worker 4711"
    }
    std::this_thread::sleep_for(100ms);
  }
}
//! [worker]

int be_a_process(const std::string& servers, const zklock::lock_options& options, board& all, unsigned seed) {
  zklock::session session(servers, {.timeout = 4s, .label = "worker " + std::to_string(getpid())});
  if (!session.wait_connected_for(30s)) return 1;
  std::deque<zklock::semaphore_mutex> locks;  // kept: what has blocked a try is known to the next one
  for (int i = 0; i < rounds; ++i) locks.emplace_back(session, "/rounds/" + std::to_string(i), options);
  std::vector<std::jthread> workers;
  for (unsigned i = 0; i < threads; ++i) {
    workers.emplace_back([&, i] { take_rounds(locks, all, seed * threads + i); });
  }
  workers.clear();
  session.close();
  return 0;
}

bool nothing_is_left(const std::string& servers) {
  zklock::session session(servers);
  for (int i = 0; i < rounds; ++i) {
    zklock::semaphore_mutex lock(session, "/rounds/" + std::to_string(i));
    if (!lock.try_acquire_for(20s)) return false;  // the killed ones' nodes go with their sessions
  }
  return true;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2 || count > 4) {
    std::cerr << "usage: round_workers SERVERS [SECONDS [keep]]\n";
    return 64;
  }
  const int seconds = count > 2 ? std::atoi(arguments[2]) : 20;
  zklock::lock_options options;
  if (count > 3) options.keep = zklock::kept_lock{};
  void* const shared = mmap(nullptr, sizeof(board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 70;
  board& all = *new (shared) board;
  std::vector<pid_t> children;
  for (unsigned i = 0; i < processes; ++i) {  // before anything of the library is used here
    if (const pid_t child = fork(); child == 0) {
      _exit(be_a_process(arguments[1], options, all, i));
    } else {
      children.push_back(child);
    }
  }
  for (int i = 1; i <= killed; ++i) {
    std::this_thread::sleep_for(std::chrono::seconds(seconds) / (killed + 1));
    kill(children[static_cast<std::size_t>(i)], SIGKILL);
    waitpid(children[static_cast<std::size_t>(i)], nullptr, 0);  // it does not live any more
  }
  std::this_thread::sleep_for(std::chrono::seconds(seconds) / (killed + 1));
  all.over = true;
  int ended_well = 0;
  for (const pid_t child : children) {
    int status = 0;
    if (waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0) ++ended_well;
  }
  const bool clean = nothing_is_left(arguments[1]);
  std::cout << all.worked << " rounds worked, " << all.skipped << " skipped, of " << all.named
            << " it was seen who had them, " << all.failed << " not answered; " << all.beside << " beside another; "
            << ended_well << " of " << processes << " processes ended well, " << (clean ? "nothing" : "something")
            << " is left\n";
  const bool good = all.beside == 0 && all.worked > 0 && all.skipped > 0 && ended_well == processes - killed && clean;
  return good ? 0 : 1;
}
