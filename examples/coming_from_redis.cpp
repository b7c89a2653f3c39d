// What users of locks on Redis and Tair write, and what they write here.
//
//     coming_from_redis SERVERS        e.g. 127.0.0.1:2181/example
#include <iostream>
#include <optional>
#include <vector>

#include <zklock/zklock.hpp>

using namespace std::chrono_literals;

//! [setnx]
// setnx and getset, "lock with an expiry instant": there is no instant to agree on, and nothing to take over.
bool once_with_setnx(zklock::session& session) {
  zklock::recursive_mutex lock(session, "/locks/order-7");
  if (zklock::grant held = lock.try_acquire()) {  // setnx == 1
    return held.held();
  }              // the destructor gives back: no getset, no del, and no other client's key
  return false;  // setnx == 0: held by another, who lives
}
//! [setnx]

//! [set nx px]
// SET key token NX PX 30000, and the script that compares and deletes. The token is the grant itself.
bool with_a_life_time(zklock::session& session) {
  zklock::recursive_mutex lock(session, "/locks/report", {.max_hold = 30s});
  zklock::grant held = lock.try_acquire_for(2s);  // retry and wait limit: one queue, no polling
  if (!held) return false;
  const bool working = held.held();  // false from the 30th second on, or from an earlier loss
  held.release();                    // compare and delete: errc::lost if it was over
  return working;
}
//! [set nx px]

//! [watchdog]
// Redisson's lock(): held as long as the process lives and is connected; no watchdog for each lock. lockWatchdogTimeout
// is the session timeout, and it is one for all locks.
void as_long_as_it_takes(zklock::session& session) {
  zklock::recursive_mutex lock(session, "/locks/import");
  const std::scoped_lock guard(lock);  // lock(): reentrant for its thread; unlock() by the guard
  const std::scoped_lock again(lock);  // one count more, no request
}
//! [watchdog]

//! [extend]
// expire, PEXPIRE by a script, RLock with a lease that is renewed: extend(), any number of times.
bool in_steps(zklock::session& session, int steps) {
  zklock::recursive_mutex lock(session, "/locks/steps", {.max_hold = 5s});
  zklock::grant held = lock.acquire();
  for (int step = 0; step < steps; ++step) {
    std::error_code ec;
    held.extend(5s, ec);   // sends nothing
    if (ec) return false;  // it was over before: stop
  }
  return held.held();
}
//! [extend]

//! [owner]
// "UUID:threadId", PHP's and Tair's credential: an owner. What it holds it may acquire again, on any thread.
std::size_t by_credential(zklock::session& session) {
  zklock::recursive_mutex lock(session, "/locks/cart");
  const zklock::owner request;
  const zklock::grant once = lock.as(request).acquire();
  const zklock::grant twice = lock.as(request).acquire();  // hincrby: the reentrant count
  const std::size_t held = session.grants().size();        // what do I hold
  static_cast<void>(session.release_all(request));         // unlock all, whatever the thread
  return held;
}
//! [owner]

//! [is it locked]
// exists key, RLock::isLocked(): a list, which shows the past. Who holds, since when, and who waits.
bool is_locked(zklock::session& session) {
  zklock::recursive_mutex lock(session, "/locks/cart");
  const std::vector<zklock::participant> all = lock.queue();
  return !all.empty() && all.front().state == zklock::participant_state::held;
}
//! [is it locked]

//! [token]
// What no Redis lock has: a number that grows with each holder, and writes that the servers refuse behind a loss.
void fenced(zklock::session& session) {
  zklock::recursive_mutex lock(session, "/locks/price");
  const zklock::grant held = lock.acquire();
  if (!session.get("/price")) session.transaction().create("/price").commit();
  session.transaction().guarded_by(held).set("/price", "17").commit();  // held.token() for a store of your own
}
//! [token]

//! [read write]
// Tair's and Redisson's read/write locks: one queue, no counter that a crashed reader leaves behind.
void read_and_write(zklock::session& session) {
  zklock::shared_mutex prices(session, "/locks/prices");
  {
    const zklock::grant reads = prices.read().acquire();
    const zklock::grant reads_too = prices.read().acquire();
  }
  const zklock::grant writes = prices.write().acquire();
}
//! [read write]

//! [quorum]
// RedLock's majority of masters: the ensemble is that majority, and its clocks decide nothing. Several locks at once:
bool several(zklock::session& session) {
  zklock::recursive_mutex stock(session, "/locks/stock"), money(session, "/locks/money");
  zklock::multi_lock both({stock, money});  // RedissonMultiLock
  return static_cast<bool>(both.try_acquire_for(2s));
}
//! [quorum]

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: coming_from_redis SERVERS\n";
    return 64;
  }
  try {
    zklock::session session(arguments[1], {.timeout = 10s});
    bool all = once_with_setnx(session) && with_a_life_time(session) && in_steps(session, 100);
    as_long_as_it_takes(session);
    all = by_credential(session) == 1 && all;
    all = !is_locked(session) && all;
    fenced(session);
    read_and_write(session);
    all = several(session) && all;
    std::cout << (all ? "as with Redis, and fenced\n" : "something is different\n");
    return all ? 0 : 1;
  } catch (const zklock::error& failure) {
    std::cerr << failure.what() << '\n';
    return 69;
  }
}
