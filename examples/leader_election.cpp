// Leader election with a mutex: a candidate is elected, is told of its loss, or resigns; the next candidate takes over.
//
//     leader_election SERVERS   e.g. 127.0.0.1:2181/example
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <iostream>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <zklock/zklock.hpp>

#include "candidate.hpp"

// What happened, in order. The chronicle compares tokens, as each store to which a leader writes should do.
class chronicle {
 public:
  void note(const std::string& line) {
    const std::scoped_lock lock(mutex_);
    std::cout << line << '\n';
    lines_.push_back(line);
    changed_.notify_all();
  }
  void elected(const std::string& name, zklock::fencing_token term) {
    {
      const std::scoped_lock lock(mutex_);
      in_order_ = in_order_ && term > mark_;
      mark_ = term;
    }
    note(name + " leads");
  }
  // Whether `line` has been noted so many times, within a minute.
  bool shows(const std::string& line, int times = 1) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, 1min, [&] { return std::count(lines_.begin(), lines_.end(), line) >= times; });
  }
  bool in_order() {
    const std::scoped_lock lock(mutex_);
    return in_order_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> lines_;
  zklock::fencing_token mark_;
  bool in_order_ = true;
};

// One term, told to the chronicle.
candidate::lead_function leading(const std::string& name, chronicle& told) {
  return [name, &told](const zklock::grant& leadership, const std::stop_token& enough) {
    told.elected(name, leadership.token());
    std::mutex mutex;
    std::condition_variable_any changed;
    std::unique_lock lock(mutex);
    changed.wait(lock, enough, [] { return false; });  // stands for the work
    told.note(leadership.held() ? name + " resigns"
                                : name + " lost: " + std::string(to_string(leadership.loss_reason())));
  };
}

// Whether there are so many candidates, within a minute.
bool stand(const candidate& one, std::size_t many) {
  const auto until = std::chrono::steady_clock::now() + 1min;
  while (one.candidates().size() != many) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(10ms);
  }
  return true;
}

bool elect(const char* servers) {
  const std::string election = "/elections/tea-room";
  chronicle told;
  zklock::session here(servers, {.timeout = 10s}), there(servers, {.timeout = 10s});  // two processes, as it were
  candidate ann(here, election, "ann", leading("ann", told));
  bool good = told.shows("ann leads");
  candidate bob(there, election, "bob", leading("bob", told));
  good = stand(ann, 2) && good;
  candidate eve(here, election, "eve", leading("eve", told));
  good = stand(ann, 3) && ann.candidates().front().label == "ann" && good;

  good = ann.resign_and_wait() == zklock::errc::abandoned && told.shows("bob leads") && good;

  here.transaction().remove(eve.candidates().front().node).commit();  // an operator's hand ends bob's term
  good = told.shows("bob lost: node removed") && told.shows("eve leads") && stand(eve, 2) && good;

  eve.resign();
  good = told.shows("bob leads", 2) && told.in_order() && good;

  there.close();
  return bob.wait() == zklock::errc::session_closed && told.shows("bob lost: session closed") && good;
}

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: leader_election SERVERS\n";
    return 64;
  }
  try {
    return elect(arguments[1]) ? 0 : 1;
  } catch (const zklock::error& failure) {
    std::cerr << failure.what() << '\n';
    return 69;
  }
}
