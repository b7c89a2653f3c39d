#include "tests/soak/attempt.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace zklock::soak {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

/// lock_options::try_time_limit: a third of the session's timeout, and no worker asks for more than 6 s here.
constexpr auto longest_try = 2s;

std::string name_of(const std::error_code& ec) {
  if (!ec) return "not-in-time";
  if (ec == errc::not_connected) return "not-connected";
  if (ec == errc::abandoned) return "abandoned";
  if (ec == errc::session_closed) return "session-closed";
  if (ec == errc::queue_exhausted) return "number-given-twice";  // no soak lasts for 2^31 contenders
  std::string name = ec.message();
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

/// Requests a stop after a while, unless it goes before; says when it has.
class stop_after {
 public:
  explicit stop_after(milliseconds delay)
      : waiting_([this, delay](const std::stop_token& over) {
          std::mutex unshared;
          std::unique_lock lock(unshared);
          std::condition_variable_any wake;
          if (wake.wait_for(lock, over, delay, [&over] { return over.stop_requested(); })) return;
          requested_ = boot_clock::now();
          source_.request_stop();
        }) {}
  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }
  /// Ends the waiting. Nothing if no stop was requested.
  [[nodiscard]] std::optional<instant> requested_at() {
    waiting_ = {};
    return source_.stop_requested() ? std::optional(requested_) : std::nullopt;
  }

 private:
  std::stop_source source_;
  instant requested_;
  std::jthread waiting_;  // the last member: it uses the others
};

class attempt {
 public:
  attempt(recursive_mutex& lock, session_number in, lot& draws, const desk& on)
      : lock_(lock), in_(in), draws_(draws), on_(on) {
    result_.attempt = ++on.attempts;
  }

  acquired go() {
    switch (draws_.below(8)) {
      case 0: return one_try();
      case 1: return stopped();
      case 2: return by_lock();
      case 3: return by_try_lock_for();
      case 4:
      case 5: return without_limit();
      case 6: return until();
      default: return within();
    }
  }

 private:
  [[nodiscard]] milliseconds some_limit() {
    return draws_.once_in(4) ? draws_.between(1ms, 50ms) : draws_.between(50ms, 3s);
  }

  acquired one_try() {
    begin("try", longest_try);
    return end(lock_.try_acquire(ec_));
  }
  acquired without_limit() {
    begin("acquire", nanoseconds(-1));
    return end(lock_.acquire(ec_));
  }
  acquired within() {
    const milliseconds limit = some_limit();
    begin("try-for", limit);
    return end(lock_.try_acquire_for(limit, ec_));
  }
  acquired until() {
    const milliseconds limit = some_limit();
    begin("try-until", limit);
    return end(lock_.try_acquire_until(std::chrono::steady_clock::now() + limit, ec_));
  }
  acquired stopped() {
    stop_after stopper(draws_.between(0ms, 2s));
    begin("stopped", nanoseconds(-1));
    grant got = lock_.acquire(stopper.token(), ec_);
    const instant returned = boot_clock::now();
    if (const auto requested = stopper.requested_at()) due_ = std::min(*requested, returned);
    return end(std::move(got), returned);
  }
  acquired by_lock() {
    begin("lock", nanoseconds(-1));
    return by_std_name([this] {
      lock_.lock();
      return true;
    });
  }
  acquired by_try_lock_for() {
    const milliseconds limit = some_limit();
    begin("try-lock-for", limit);
    return by_std_name([&] { return lock_.try_lock_for(limit); });
  }

  template <class Locks>
  acquired by_std_name(Locks locks) {
    bool got = false;
    try {
      got = locks();
    } catch (const error& failure) {
      ec_ = failure.code();
    }
    const instant returned = boot_clock::now();
    if (!got) return end({}, returned);
    result_.by_lock = true;
    write_end("granted", returned);
    // Re-entry: one count more, and a grant that says which node it is.
    result_.taken = lock_.as(owner::this_thread()).acquire(ec_);
    if (!result_.taken && ec_ != errc::lost) note_wrong("re-entry ended in " + name_of(ec_));
    return std::move(result_);
  }

  void begin(const char* style, nanoseconds limit) {
    const instant now = boot_clock::now();
    if (limit >= 0ns) due_ = now + limit;
    on_.log.write(attempt_began{result_.attempt, lock_.path(), style, now, limit, in_});
    if (on_.does == planted::waits_too_long && limit >= 0ns) std::this_thread::sleep_for(limit + 2s);
  }
  acquired end(grant got) { return end(std::move(got), boot_clock::now()); }
  acquired end(grant got, instant returned) {
    if (got && ec_) note_wrong("a grant and an error: " + name_of(ec_));
    write_end(got ? "granted" : name_of(ec_), returned);
    result_.taken = std::move(got);
    return std::move(result_);
  }
  void write_end(const std::string& outcome, instant returned) {
    attempt_ended ended{result_.attempt, outcome, returned};
    if (due_ && returned > *due_) {
      ended.overrun = returned - *due_;
      ended.excused = on_.stood.within(*due_, returned);
    }
    result_.granted = outcome == "granted";
    on_.log.write(ended);
  }
  void note_wrong(const std::string& what) { on_.log.write(wrong{result_.attempt, what}); }

  recursive_mutex& lock_;
  const session_number in_;
  lot& draws_;
  const desk& on_;
  acquired result_;
  std::error_code ec_;
  std::optional<instant> due_;
};

}  // namespace

acquired acquire_somehow(recursive_mutex& lock, session_number in, lot& draws, const desk& on) {
  return attempt(lock, in, draws, on).go();
}

}  // namespace zklock::soak
