#include "bench/common/crew.hpp"

#include <system_error>

namespace bench {

constexpr std::size_t stack_size = 256 * 1024;

crew::crew(int threads, std::function<void(int)> work)
    : work_(std::move(work)), done_(threads), members_(static_cast<std::size_t>(threads)) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack_size);
  for (int number = 0; number < threads; ++number) {
    member& one = members_[static_cast<std::size_t>(number)];
    one.all = this;
    one.number = number;
    if (const int error = pthread_create(&one.thread, &attributes, run, &one); error != 0) {
      throw std::system_error(error, std::generic_category(), "pthread_create");  // the process ends: see peer_main
    }
  }
  pthread_attr_destroy(&attributes);
}

crew::~crew() {
  for (const member& one : members_) {
    pthread_join(one.thread, nullptr);
  }
}

void* crew::run(void* of) {
  const member& self = *static_cast<member*>(of);
  crew& all = *self.all;
  all.gate_.wait();
  try {
    all.work_(self.number);
  } catch (...) {
    const std::lock_guard guard(all.failure_mutex_);
    all.failure_ = std::current_exception();
  }
  all.done_.count_down();
  return nullptr;
}

void crew::wait_done() {
  done_.wait();
  if (failure_) {
    std::rethrow_exception(failure_);
  }
}

}  // namespace bench
