#pragma once

#include <zklock/zklock.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace zklock::test {

/// A client's lock of a recipe, to be acquired wholly: the holds of two clients exclude each other.
class any_lock {
 public:
  virtual ~any_lock() = default;
  virtual grant try_for(std::error_code& ec, std::chrono::milliseconds limit, std::stop_token stop = {}) = 0;
};

/// `Of` is constructed from a session and a path, and `lock` of it is acquired.
template <class Of>
class lock_of final : public any_lock {
 public:
  lock_of(session& in, const std::string& path) : of_(in, path) {}
  grant try_for(std::error_code& ec, std::chrono::milliseconds limit, std::stop_token stop) override {
    return of_.lock.try_acquire_for(limit, std::move(stop), ec);
  }

 private:
  Of of_;
};

struct whole_mutex {
  recursive_mutex lock;
  whole_mutex(session& in, const std::string& path) : lock(in, path) {}
};
struct whole_semaphore_mutex {
  semaphore_mutex lock;
  whole_semaphore_mutex(session& in, const std::string& path) : lock(in, path) {}
};
struct write_side {
  shared_mutex of;
  lock_view lock = of.write();
  write_side(session& in, const std::string& path) : of(in, path) {}
};
struct read_side {
  shared_mutex of;
  lock_view lock = of.read();
  read_side(session& in, const std::string& path) : of(in, path) {}
};
struct all_permits {
  semaphore of;
  lock_view lock = of.permits(2);
  all_permits(session& in, const std::string& path) : of(in, path, 2) {}
};
struct a_mutex_and_a_write_side {
  recursive_mutex first;
  shared_mutex second;
  multi_lock lock{first, second.write()};
  a_mutex_and_a_write_side(session& in, const std::string& path) : first(in, path), second(in, path + "-second") {}
};

struct recipe {
  const char* name;
  std::unique_ptr<any_lock> (*make)(session& in, const std::string& path);
};

template <class Of>
std::unique_ptr<any_lock> make_lock(session& in, const std::string& path) {
  return std::make_unique<lock_of<Of>>(in, path);
}

/// Those of which two exclude each other.
inline const std::vector<recipe> exclusive_recipes{{"mutex", make_lock<whole_mutex>},
                                                   {"semaphore_mutex", make_lock<whole_semaphore_mutex>},
                                                   {"write", make_lock<write_side>},
                                                   {"semaphore", make_lock<all_permits>},
                                                   {"multi_lock", make_lock<a_mutex_and_a_write_side>}};

}  // namespace zklock::test
