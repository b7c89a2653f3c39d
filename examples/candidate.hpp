#pragma once

// A candidate of a leader election: a mutex, and a thread that waits for it.
#include <chrono>
#include <condition_variable>
#include <functional>
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
// An object of this class is a candidate from its construction until it resigns, is destroyed, or meets an error that
// is not transient. When the candidate is elected, it runs `lead` on its own thread. `lead` must return when a stop is
// requested of `enough`, that is, when the candidate resigns or its grant is lost. After a loss the candidate queues
// again.
class candidate {
 public:
  using lead_function = std::function<void(const zklock::grant& leadership, std::stop_token enough)>;

  candidate(zklock::session& session, std::string_view election, std::string name, lead_function lead)
      : election_(session, election, {.label = std::move(name)}),
        lead_(std::move(lead)),
        thread_([this] { ended_ = campaign(resignation_.get_token()); }) {}
  ~candidate() { resign(); }  // the destructor of `thread_` then waits until `lead` has returned

  // Any thread may call this at any time, also while another thread waits in wait().
  void resign() { resignation_.request_stop(); }
  // Waits until the candidate has ended. Returns the reason: errc::abandoned after a resignation, otherwise the error.
  // One thread at a time may call this function or the next one.
  std::error_code wait() {
    if (thread_.joinable()) thread_.join();
    return ended_;
  }
  std::error_code resign_and_wait() {
    resign();
    return wait();
  }
  // All candidates on the servers, the leader first. The list may be out of date when it arrives.
  std::vector<zklock::participant> candidates() const { return election_.queue(); }

 private:
  std::error_code campaign(const std::stop_token& resignation) {
    for (;;) {
      std::error_code ec;
      const zklock::grant leadership = election_.acquire(resignation, ec);  // waits for its turn
      if (!leadership) {
        if (!zklock::is_transient(ec)) return ec;
        std::mutex mutex;
        std::unique_lock lock(mutex);  // try again after a second; a resignation ends this wait
        std::condition_variable_any().wait_for(lock, resignation, 1s, [] { return false; });
        continue;
      }
      std::stop_source enough;
      const std::stop_callback when_resigned(resignation, [&enough] { enough.request_stop(); });
      const std::stop_callback when_lost(leadership.lost(), [&enough] { enough.request_stop(); });
      lead_(leadership, enough.get_token());
    }  // the grant is released here, and the next candidate is elected
  }

  zklock::recursive_mutex election_;
  const lead_function lead_;
  std::stop_source resignation_;
  std::error_code ended_;
  std::jthread thread_;  // the last member, so it is destroyed first: the thread uses the others
};
//! [candidate]
