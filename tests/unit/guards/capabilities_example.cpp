// A user's data that the public lock types guard: clang's -Wthread-safety accepts it, and refuses it where VIOLATE is defined.
#include <zklock/zklock.hpp>

namespace {

struct service {
  zklock::recursive_mutex& orders;
  zklock::shared_mutex& config;
  zklock::semaphore_mutex& nightly;
  int total ZKLOCK_GUARDED_BY(orders) = 0;
  int setting ZKLOCK_GUARDED_BY(config) = 0;
  int runs ZKLOCK_GUARDED_BY(nightly) = 0;

  void count() {
    orders.lock();
    ++total;
    orders.unlock();
    if (orders.try_lock_for(std::chrono::seconds(1))) {
      ++total;
      orders.unlock();
    }
  }
  int read() {
    config.lock_shared();
    const int now = setting;
    config.unlock_shared();
    return now;
  }
  void change() {
    config.lock();
    ++setting;
    config.unlock();
  }
  void run() ZKLOCK_REQUIRES(nightly) { ++runs; }
#ifdef VIOLATE
  void count_without() { ++total; }
  void change_as_reader() {
    config.lock_shared();
    ++setting;
    config.unlock_shared();
  }
  void run_without() { run(); }
  void keep() { nightly.lock(); }
#endif
};

}  // namespace

int main(int count, char** arguments) {
  zklock::session session(count > 1 ? arguments[1] : "127.0.0.1:2181");
  zklock::recursive_mutex orders(session, "/orders");
  zklock::shared_mutex config(session, "/config");
  zklock::semaphore_mutex nightly(session, "/nightly");
  service one{orders, config, nightly};
  one.count();
  one.change();
  return one.read();
}
