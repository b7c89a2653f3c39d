// zklock as a program uses it. After the servers, `--handover`: with local hand-over; `--keep`: with locks that stay.
#include <zookeeper/zookeeper.h>

#include <iostream>
#include <map>

#include <zklock/zklock.hpp>

#include "bench/common/node_count.hpp"
#include "bench/common/peer_main.hpp"

namespace {

using namespace std::chrono_literals;

/// What every lock of this process is made with.
zklock::lock_options options_of_locks(std::string_view option) {
  zklock::lock_options options;
  if (option == "--handover") {
    options.hand_over = zklock::local_handover{};
  } else if (option == "--keep") {
    options.keep = zklock::kept_lock{};
  } else if (!option.empty()) {
    throw std::invalid_argument("there is no option " + std::string(option));
  }
  return options;
}

/// A grant without owner, of a view. It keeps the lock that the view is of.
class by_grant : public bench::contender {
 public:
  by_grant(std::shared_ptr<void> lock, zklock::lock_view view) : lock_(std::move(lock)), view_(view) {}
  void acquire() override { grant_ = view_.acquire(); }
  void release() override { grant_ = {}; }
  void release_confirmed() override { grant_.release(); }

 private:
  const std::shared_ptr<void> lock_;
  zklock::lock_view view_;
  zklock::grant grant_;
};

class of_thread : public bench::contender {
 public:
  explicit of_thread(std::shared_ptr<zklock::recursive_mutex> lock) : lock_(std::move(lock)) {}
  void acquire() override ZKLOCK_NO_THREAD_SAFETY_ANALYSIS { lock_->lock(); }
  void release() override ZKLOCK_NO_THREAD_SAFETY_ANALYSIS { lock_->unlock(); }

 private:
  const std::shared_ptr<zklock::recursive_mutex> lock_;
};

struct three_mutexes {
  three_mutexes(zklock::session& session, const std::string& path, const zklock::lock_options& options)
      : a(session, path + "/a", options), b(session, path + "/b", options), c(session, path + "/c", options) {}
  zklock::recursive_mutex a, b, c;
  zklock::multi_lock all{a, b, c};
};

/// Threads of one session share the lock object of a path.
class session : public bench::client_session {
 public:
  session(const std::string& servers, zklock::lock_options options)
      : options_(std::move(options)), session_(servers, {.timeout = 30s}) {
    if (!session_.wait_connected_for(10s)) {
      throw std::runtime_error("not connected");
    }
  }

  std::unique_ptr<bench::contender> contend(const std::string& recipe, const std::string& path) override {
    if (recipe == "mutex") {
      const auto lock = shared<zklock::recursive_mutex>(path);
      return std::make_unique<by_grant>(lock, *lock);
    }
    if (recipe == "reentrant") {
      return std::make_unique<of_thread>(shared<zklock::recursive_mutex>(path));
    }
    if (recipe == "read" || recipe == "write") {
      const auto lock = shared<zklock::shared_mutex>(path);
      return std::make_unique<by_grant>(lock, recipe == "read" ? lock->read() : lock->write());
    }
    if (recipe == "semaphore") {
      const auto lock = std::make_shared<zklock::semaphore>(session_, path, 3, options_);
      return std::make_unique<by_grant>(lock, lock->permits(1));
    }
    if (recipe == "multi") {
      return std::make_unique<of_several>(std::make_shared<three_mutexes>(session_, path, options_));
    }
    throw bench::unsupported(recipe);
  }

 private:
  class of_several : public bench::contender {
   public:
    explicit of_several(std::shared_ptr<three_mutexes> locks) : locks_(std::move(locks)) {}
    void acquire() override { grant_ = locks_->all.acquire(); }
    void release() override { grant_ = {}; }
    void release_confirmed() override { grant_.release(); }

   private:
    const std::shared_ptr<three_mutexes> locks_;
    zklock::grant grant_;
  };

  template <class Lock>
  std::shared_ptr<Lock> shared(const std::string& path) {
    std::shared_ptr<void>& lock = locks_[path];
    if (lock == nullptr) {
      lock = std::make_shared<Lock>(session_, path, options_);
    }
    return std::static_pointer_cast<Lock>(lock);
  }

  const zklock::lock_options options_;
  zklock::session session_;
  std::map<std::string, std::shared_ptr<void>> locks_;  // a path has one recipe
};

class library : public bench::lock_library {
 public:
  library(std::string servers, zklock::lock_options options)
      : servers_(std::move(servers)), options_(std::move(options)), nodes_(servers_) {}
  std::unique_ptr<bench::client_session> connect() override { return std::make_unique<session>(servers_, options_); }
  int contenders(const std::string& path) override { return nodes_.children(path); }

 private:
  const std::string servers_;
  const zklock::lock_options options_;
  bench::node_count nodes_;
};

}  // namespace

int main(int count, char** arguments) {
  zoo_set_debug_level(ZOO_LOG_LEVEL_ERROR);
  if (count < 2) {
    std::cerr << "usage: zklock_bench_zklock SERVERS [--handover|--keep]\n";
    return 64;
  }
  try {
    library zklock(arguments[1], options_of_locks(count > 2 ? arguments[2] : ""));
    return bench::peer_main(zklock);
  } catch (const std::exception& failure) {
    std::cerr << failure.what() << '\n';
    return 69;
  }
}
