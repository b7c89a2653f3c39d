#pragma once

#include <sys/types.h>

#include <csignal>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "src/cli/guardian_protocol.hpp"
#include "src/cli/inherited_signals.hpp"

namespace zklock::cli {

/// As ps has it.
inline constexpr std::string_view guardian_name = "lock-guardian";

/// zklock's end of its guardian: see guardian.hpp.
class guardian_process {
 public:
  /// Forks, so: while this process has one thread, and before it opens what COMMAND shall not have. Throws
  /// std::system_error. `own_arguments` is where the kernel keeps this process' command line: the guardian's is
  /// overwritten there, so that what hits zklock by its name does not hit both.
  /// `end_session`: called in the guardian, as its last act, with what guardian::run() has returned, unless that is empty.
  guardian_process(std::span<const std::string> command, const inherited_signals& inherited,
                   std::span<char> own_arguments, void (*end_session)(const std::string& words));
  /// Waits for its end, which is near when nothing was started.
  ~guardian_process();
  guardian_process(const guardian_process&) = delete;
  guardian_process& operator=(const guardian_process&) = delete;

  template <class Order>
  bool send(const Order& one) {
    const bool sent = socket_.send(protocol::to_bytes(any_order(one)));
    if constexpr (std::is_same_v<Order, order::pass_on>) {
      if (sent && one.signal_number == SIGCONT) ++continued_;
    }
    return sent;
  }
  /// Without stops that were told before the guardian had heard that COMMAND is to go on: they are over.
  [[nodiscard]] std::optional<any_report> hear();
  /// -1 when it has gone.
  [[nodiscard]] int descriptor() const noexcept { return socket_.connected() ? socket_.descriptor() : -1; }

  /// Whether it has ended, or is about to, after what hear() has told.
  [[nodiscard]] bool gone() const noexcept { return !socket_.connected(); }
  /// A guardian that is stopped guards nothing. Asked for when SIGCHLD has come.
  void wake_if_stopped() const;
  /// Returns when its children are ours.
  void kill_and_bury();

 private:
  message_socket socket_;
  pid_t pid_ = -1;
  std::uint32_t continued_ = 0;  ///< how often the guardian was told to pass on SIGCONT
};

}  // namespace zklock::cli
