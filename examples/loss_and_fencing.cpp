// Work that stops when the lock is lost, and a store that refuses the writes of a holder that has lost its lock.
//
//     loss_and_fencing SERVERS  e.g. 127.0.0.1:2181/example
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <future>
#include <iostream>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string_view>
#include <thread>

#include <zklock/zklock.hpp>

using namespace std::chrono_literals;

//! [store]
// The store compares tokens at reads and writes. A client that reads before it writes passes its token with the read.
// After the read the store refuses all smaller tokens.
class store {
 public:
  std::optional<int> read(zklock::fencing_token token) {
    const std::scoped_lock lock(mutex_);
    return admit(token) ? std::optional(value_) : std::nullopt;
  }
  bool write(int value, zklock::fencing_token token) {
    const std::scoped_lock lock(mutex_);
    return admit(token) && (value_ = value, true);
  }

 private:
  bool admit(zklock::fencing_token token) {
    if (token < mark_) return false;
    mark_ = token;
    return true;
  }
  std::mutex mutex_;
  int value_ = 0;
  zklock::fencing_token mark_{};
};
//! [store]

//! [shared store]
// For a shared_mutex. It refuses a read if a writer with a greater token has written, and a write if a client with a
// greater token has read or written.
class shared_store {
 public:
  std::optional<int> read(zklock::fencing_token token) {
    const std::scoped_lock lock(mutex_);
    if (token < written_) return std::nullopt;
    seen_ = std::max(seen_, token);
    return value_;
  }
  bool write(int value, zklock::fencing_token token) {
    const std::scoped_lock lock(mutex_);
    if (token < seen_) return false;
    written_ = seen_ = token;
    value_ = value;
    return true;
  }

 private:
  std::mutex mutex_;
  int value_ = 0;
  zklock::fencing_token written_{};  // the greatest token of a write
  zklock::fencing_token seen_{};     // the greatest token of a read or write
};
//! [shared store]

//! [work]
// Works in steps while the lock is held. Each request to the store has the token.
int increment(zklock::grant& g, store& storage, int steps) {
  int done = 0;
  while (done < steps && g.held()) {  // sends no request
    const std::optional<int> value = storage.read(g.token());
    if (!value || !storage.write(*value + 1, g.token())) break;  // the store has seen a greater token
    ++done;
  }
  return done;
}
//! [work]

//! [notice]
// lost() is a std::stop_token, so the loss of the lock ends this wait.
void wait_for_work(const zklock::grant& g, std::condition_variable_any& changed, std::mutex& mutex) {
  std::unique_lock lock(mutex);
  changed.wait(lock, g.lost(), [] { return false; });
  std::cout << "lost: " << zklock::to_string(g.loss_reason()) << '\n';
}
//! [notice]

//! [revocable]
// Long work that lets go between two steps when another client asks.
int process_until_revoked(zklock::recursive_mutex& orders, int steps) {
  const zklock::grant g = orders.acquire();
  const std::stop_token wanted_by_others = g.revocation_requested();
  int done = 0;
  while (done < steps && g.held() && !wanted_by_others.stop_requested()) {
    ++done;
    std::this_thread::sleep_for(1ms);  // a step
  }
  return done;  // the grant's destructor releases the lock
}

// The other client asks whoever holds it.
void ask_for(zklock::session& session, std::string_view path) {
  for (const zklock::participant& one : zklock::participants(session, path)) {
    if (one.state == zklock::participant_state::held) zklock::revoke(session, one.node);
  }
}
//! [revocable]

// A writer has lost its lock to two readers. The reader with the greater token reads first.
bool a_late_writer_is_refused_while_there_are_readers(zklock::session& session) {
  shared_store storage;
  zklock::shared_mutex config(session, "/locks/shared"), one(session, "/locks/shared"), other(session, "/locks/shared");
  const zklock::grant writer = config.write().acquire();
  const bool written = storage.write(1, writer.token());
  session.transaction().remove(writer.node()).commit();  // as an operator removes the holder's node
  const zklock::grant first = one.read().acquire(), second = other.read().acquire();
  const bool read = storage.read(second.token()) == 1 && storage.read(first.token()) == 1;
  const bool refused = !storage.write(2, writer.token()) && storage.read(first.token()) == 1;
  std::cout << "a late writer, while there are readers: " << (refused ? "refused\n" : "NOT refused\n");
  return written && read && refused;
}

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: loss_and_fencing SERVERS\n";
    return 64;
  }
  store storage;
  zklock::session session(arguments[1], {.timeout = 10s});
  zklock::recursive_mutex orders(session, "/locks/loss");
  zklock::grant lost = orders.acquire();
  bool as_expected = increment(lost, storage, 3) == 3;
  session.close();  // ends the hold
  std::mutex mutex;
  std::condition_variable_any changed;
  wait_for_work(lost, changed, mutex);
  as_expected = increment(lost, storage, 3) == 0 && as_expected;

  zklock::session next(arguments[1], {.timeout = 10s});
  zklock::grant later = zklock::recursive_mutex(next, "/locks/loss").acquire();
  as_expected = increment(later, storage, 1) == 1 && as_expected;
  as_expected = !storage.write(99, lost.token()) && as_expected;  // a write after the loss, without a call to held()
  as_expected = storage.read(later.token()) == 4 && as_expected;
  later.release();
  zklock::recursive_mutex long_work(next, "/locks/loss");
  auto worker = std::async(std::launch::async, [&] { return process_until_revoked(long_work, 1'000'000); });
  while (zklock::participants(next, "/locks/loss").empty()) std::this_thread::sleep_for(1ms);
  ask_for(next, "/locks/loss");
  const int done = worker.get();
  std::cout << "let go after " << done << " of 1000000 steps\n";
  as_expected = done < 1'000'000 && as_expected;
  as_expected = a_late_writer_is_refused_while_there_are_readers(next) && as_expected;
  return as_expected ? 0 : 1;
}
