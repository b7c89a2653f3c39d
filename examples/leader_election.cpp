// Leader election with a mutex: a candidate is elected, is told of its loss, or resigns; the next candidate takes over.
//
//     leader_election SERVERS   e.g. 127.0.0.1:2181/example
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <iostream>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <zklock/zklock.hpp>

using namespace std::chrono_literals;

//! [candidate]
// A candidate from its construction until it resigns, is destroyed, or meets an error that is not transient. When the
// candidate is elected, it runs `lead` on its own thread. `lead` must return when a stop is requested of `enough`, that
// is, when the candidate resigns or its grant is lost. After a loss the candidate queues again.
class candidate {
 public:
  using term = std::function<void(const zklock::grant& leadership, std::stop_token enough)>;

  candidate(zklock::session& session, std::string_view election, std::string name, term lead)
      : election_(session, election, {.label = std::move(name)}),
        lead_(std::move(lead)),
        thread_([this](const std::stop_token& resigned) { ended_ = campaign(resigned); }) {}

  void resign() { thread_.request_stop(); }
  // Waits until the candidate has ended. Returns the reason: errc::abandoned after a resignation, otherwise the error.
  std::error_code wait() {
    if (thread_.joinable()) thread_.join();
    return ended_;
  }
  // Resigns, and waits until `lead` has returned. One thread at a time may call wait() or resigned().
  std::error_code resigned() {
    resign();
    return wait();
  }
  // All candidates on the servers, the leader first. The list may be out of date when it arrives.
  std::vector<zklock::participant> candidates() const { return election_.queue(); }

 private:
  std::error_code campaign(const std::stop_token& resigned) {
    for (;;) {
      std::error_code ec;
      const zklock::grant leadership = election_.acquire(resigned, ec);  // waits for its turn
      if (!leadership) {
        if (!zklock::is_transient(ec)) return ec;
        std::mutex mutex;
        std::unique_lock lock(mutex);  // try again after a second; a resignation ends this wait
        std::condition_variable_any().wait_for(lock, resigned, 1s, [] { return false; });
        continue;
      }
      std::stop_source enough;
      const std::stop_callback when_resigned(resigned, [&enough] { enough.request_stop(); });
      const std::stop_callback when_lost(leadership.lost(), [&enough] { enough.request_stop(); });
      lead_(leadership, enough.get_token());
    }  // the grant is released here, and the next candidate is elected
  }

  zklock::recursive_mutex election_;
  const term lead_;
  std::error_code ended_;
  std::jthread thread_;  // the last member, so it is destroyed first: the thread uses the others
};
//! [candidate]

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

//! [lead]
// One term: the leader works until a stop is requested of `enough`. Each of the leader's writes carries
// leadership.token(), or is guarded by the grant.
candidate::term leading(const std::string& name, chronicle& told) {
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
//! [lead]

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

  good = ann.resigned() == zklock::errc::abandoned && told.shows("bob leads") && good;

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
