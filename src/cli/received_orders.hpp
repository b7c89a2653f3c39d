#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <zklock/clock.hpp>

#include "src/cli/guardian_protocol.hpp"

namespace zklock::cli {

/// What zklock has ordered so far. Nothing is done here: COMMAND is started when all orders that have arrived are heard.
class received_orders {
 public:
  void hear(const order::set& given) { environment_.push_back(given.text); }
  void hear(const order::session& given) { session_ = given.text; }
  void hear(const order::start& given);
  void hear(const order::believe& given) { valid_until_ = given.valid_until; }
  /// `started`: it can be passed on at once. Otherwise it is kept until the start.
  void hear(const order::pass_on& given, bool started);
  /// Before COMMAND was started: it is not to be.
  void hear(const order::end& /*given*/) { valid_until_ = {}; }  // long ago

  /// COMMAND is over: what was ordered for it is not for the next one.
  void forget_command();

  /// What ends zklock's session. Empty: nothing is to be ended.
  [[nodiscard]] const std::string& session() const noexcept { return session_; }
  /// The order to start, once.
  [[nodiscard]] std::optional<order::start> take_start() { return std::exchange(start_, std::nullopt); }
  [[nodiscard]] const std::vector<std::string>& environment() const noexcept { return environment_; }
  /// To be passed on, ordered before the start was obeyed.
  [[nodiscard]] const std::vector<int>& early_signals() const noexcept { return early_signals_; }
  /// How many orders to pass on SIGCONT were heard.
  [[nodiscard]] std::uint32_t continued() const noexcept { return continued_; }
  [[nodiscard]] boot_clock::time_point valid_until() const noexcept { return valid_until_; }
  [[nodiscard]] boot_clock::duration kill_after() const noexcept { return kill_after_; }

 private:
  std::string session_;
  std::vector<std::string> environment_;
  std::optional<order::start> start_;
  std::vector<int> early_signals_;
  std::uint32_t continued_ = 0;
  boot_clock::time_point valid_until_{};
  boot_clock::duration kill_after_{};
};

}  // namespace zklock::cli
