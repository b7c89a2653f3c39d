#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

namespace zklock::testing {

class world;

/// What an administrator does to nodes and sessions, with all rights.
class administration {
 public:
  explicit administration(world& of) noexcept : w_(of) {}

  bool create_node(std::string_view path, std::string_view data = {}, bool container = false);
  bool set_data(std::string_view path, std::string_view data);
  bool remove_node(std::string_view path);
  int reap_containers();  ///< how many
  void set_sequence_counter(std::string_view path, std::int32_t next);

  void expire(std::int64_t session);
  void expire_sessions(int client);
  /// Ends the sessions that are overdue: what a server does first when it goes on after a stop.
  void expire_overdue();
  /// What a client is granted when it connects from now on, again or for the first time.
  void bound_timeouts(std::chrono::milliseconds min, std::chrono::milliseconds max);

 private:
  template <class Wanted>
  void expire_if(Wanted wanted);

  world& w_;
};

}  // namespace zklock::testing
