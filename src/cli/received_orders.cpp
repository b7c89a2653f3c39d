#include "src/cli/received_orders.hpp"

#include <csignal>

namespace zklock::cli {

/// The order may be old, when the guardian was stopped meanwhile: what has been said after it comes first.
void received_orders::hear(const order::start& given) {
  valid_until_ = given.valid_until;
  kill_after_ = given.kill_after;
  start_ = given;
  early_signals_.clear();  // ordered before: for the COMMAND before this one, which has ended meanwhile
}

void received_orders::forget_command() {
  environment_.clear();
  early_signals_.clear();
  start_.reset();
}

void received_orders::hear(const order::pass_on& given, bool started) {
  if (given.signal_number == SIGCONT) {
    ++continued_;
  }
  if (!started) {
    early_signals_.push_back(given.signal_number);
  }
}

}  // namespace zklock::cli
