// Read without its lock when VIOLATE is defined: clang's -Wthread-safety has to refuse that, and nothing else here.
#include "src/threads/thread_safety.hpp"

namespace {

class counter {
 public:
  int next() ZKLOCK_EXCLUDES(mutex_) {
    const zklock::scoped_lock_on lock(mutex_);
    return ++count_;
  }
#ifdef VIOLATE
  int peek() { return count_; }
#else
  int peek() ZKLOCK_EXCLUDES(mutex_) {
    const zklock::scoped_lock_on lock(mutex_);
    return count_;
  }
#endif

 private:
  zklock::annotated_mutex mutex_;
  int count_ ZKLOCK_GUARDED_BY(mutex_) = 0;
};

}  // namespace

int main() {
  counter one;
  return one.next() - one.peek();
}
