#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "src/testing/client_state.hpp"
#include "src/testing/ensemble_config.hpp"
#include "src/testing/handle.hpp"
#include "src/testing/leader_ping.hpp"
#include "src/testing/link.hpp"
#include "src/testing/server_group.hpp"
#include "src/testing/session_table.hpp"
#include "src/testing/transaction_log.hpp"

namespace zklock::testing {

/// All that an ensemble consists of: data, without the rules that move it. Those are client_library, request_intake,
/// client_answers, leadership and election.
class world {
 public:
  explicit world(const ensemble_config& with);
  ~world();
  world(const world&) = delete;
  world& operator=(const world&) = delete;

  [[nodiscard]] link* find_link(std::uint32_t number) const;
  [[nodiscard]] std::shared_ptr<handle> find_handle(std::uint32_t number) const;
  [[nodiscard]] client_state& state_of(int client);
  [[nodiscard]] const client_state* find_state(int client) const;
  void forget_handle(handle& h);
  void sweep();  ///< forgets connections that are closed at both ends

  ensemble_config with;
  instant now{0};
  transaction_log log;  ///< has entries only with several servers
  server_group servers;
  session_table sessions;
  leader_ping ping;
  std::vector<std::unique_ptr<link>> links;
  std::vector<std::shared_ptr<handle>> handles;
  std::vector<std::pair<int, client_state>> clients;
  std::uint32_t last_number = 0;  ///< of a handle or a link
  std::uint32_t last_group = 0;   ///< of events whose order is free
};

}  // namespace zklock::testing
