#pragma once

#include <gtest/gtest.h>

#include <zklock/zklock.hpp>

#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace zklock::test {

/// What many threads work on: a fake ensemble, or a real server behind proxies. Clients are counted from 0; each has
/// faults of its own.
class server_for_stress {
 public:
  virtual ~server_for_stress() = default;
  /// A session of that client's, in a chroot of the test's own.
  [[nodiscard]] virtual std::unique_ptr<session> open(int client, session_options options = {}) = 0;
  virtual void cut(int client) = 0;
  virtual void expire(int client) = 0;
  /// What contenders are left below the lock nodes; empty when there are none.
  [[nodiscard]] virtual std::vector<std::string> contenders(const std::string& path) = 0;
};

[[nodiscard]] std::unique_ptr<server_for_stress> fake_server(int clients);
[[nodiscard]] std::unique_ptr<server_for_stress> real_server(int clients);

struct kind_of_server {
  const char* name;
  std::unique_ptr<server_for_stress> (*make)(int clients);
};

/// For the names of the tests, which would have addresses in them.
inline void PrintTo(const kind_of_server& one, std::ostream* to) { *to << one.name; }

/// A test body that runs on each kind of server.
class under_stress : public ::testing::TestWithParam<kind_of_server> {
 protected:
  void start(int clients) { server_ = GetParam().make(clients); }
  /// Waits until no contender is left in the queue.
  void expect_nothing_left(const std::string& path);

  std::unique_ptr<server_for_stress> server_;
};

inline const auto both_servers =
    ::testing::Values(kind_of_server{"fake", fake_server}, kind_of_server{"real", real_server});
[[nodiscard]] inline std::string name_of(const ::testing::TestParamInfo<kind_of_server>& one) { return one.param.name; }

}  // namespace zklock::test
