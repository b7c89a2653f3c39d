#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include <zklock/clock.hpp>

#include "src/cli/owned_descriptor.hpp"

// What zklock and its guardian say to each other: one datagram a message, within one program, so no byte order and no
// version. A message is either flat, or a text.
namespace zklock::cli {

/// How a process has ended.
struct process_end {
  int number = 0;  ///< its exit status, or of the signal
  bool by_signal = false;
};

/// zklock to its guardian.
namespace order {
struct set {  ///< for the environment of COMMAND
  std::string text;
};
struct start {
  boot_clock::time_point valid_until;
  boot_clock::duration kill_after;
  bool in_foreground;  ///< of the terminal
};
struct believe {  ///< the lock's deadline has moved
  boot_clock::time_point valid_until;
};
struct pass_on {  ///< to the group of COMMAND; to all that is left of it, once COMMAND itself has ended
  int signal_number;
};
struct end {};  ///< the lock is lost
/// What ends the ZooKeeper session of zklock, in words that the guardian does not know. Empty: it needs no end.
struct session {
  std::string text;
};
}  // namespace order
using any_order = std::variant<order::set, order::start, order::believe, order::pass_on, order::end, order::session>;

/// And back.
namespace report {
struct started {  ///< its process; what becomes of the program is told by what follows
  pid_t pid;      ///< also of its process group
};
struct not_started {
  int error_number;
  pid_t pid;  ///< that it would have had, and may have given the terminal to; 0: there was none
};
struct too_late {};  ///< not started either: the lock was over
struct stopped {
  int signal_number;
  std::uint32_t continued;  ///< how many orders to pass on SIGCONT had been heard before
};
struct leader_ended {  ///< COMMAND has, others of it have not
  process_end how;
};
struct left_behind {  ///< some time later, still
  int count;
  pid_t one_of_them;
};
struct past_deadline {};  ///< the guardian has begun to end COMMAND by itself
struct ended {            ///< COMMAND and all that it has started
  process_end how;
  bool all_gone;  ///< false: what is left may not be signalled, and was given up
};
}  // namespace report
using any_report = std::variant<report::started, report::not_started, report::too_late, report::stopped,
                                report::leader_ended, report::left_behind, report::past_deadline, report::ended>;

namespace protocol {

template <class Message>
[[nodiscard]] std::string to_bytes(const Message& message) {
  std::string bytes(1, static_cast<char>(message.index()));
  std::visit(
      [&bytes]<class One>(const One& one) {
        if constexpr (std::is_trivially_copyable_v<One>) {
          bytes.append(reinterpret_cast<const char*>(&one), sizeof one);
        } else {
          bytes += one.text;
        }
      },
      message);
  return bytes;
}

template <class One>
[[nodiscard]] std::optional<One> content_of(std::string_view bytes) {
  if constexpr (std::is_trivially_copyable_v<One>) {
    if (bytes.size() != sizeof(One)) return std::nullopt;
    One one;
    std::memcpy(&one, bytes.data(), sizeof one);
    return one;
  } else {
    return One{std::string(bytes)};
  }
}

template <class Message, std::size_t Index = 0>
[[nodiscard]] std::optional<Message> from_bytes(std::string_view bytes) {
  if constexpr (Index == std::variant_size_v<Message>) {
    return std::nullopt;
  } else {
    if (bytes.empty() || static_cast<std::size_t>(bytes.front()) != Index) return from_bytes<Message, Index + 1>(bytes);
    auto content = content_of<std::variant_alternative_t<Index, Message>>(bytes.substr(1));
    return content ? std::optional<Message>(std::move(*content)) : std::nullopt;
  }
}

}  // namespace protocol

/// One end of a connection between two processes. Nothing here waits; SIGPIPE is not raised.
class message_socket {
 public:
  message_socket() = default;
  /// Two that are connected. Throws std::system_error.
  [[nodiscard]] static std::pair<message_socket, message_socket> pair();

  [[nodiscard]] int descriptor() const noexcept { return descriptor_.get(); }
  /// Whether the other end was there, or had left something to be received, when this end last looked.
  [[nodiscard]] bool connected() const noexcept { return connected_; }
  /// False: it was not sent, because it is too long, or the other end is gone or has stopped taking messages.
  bool send(std::string_view bytes);
  std::optional<std::string> receive();
  void close() noexcept {
    descriptor_.reset();
    connected_ = false;
  }

 private:
  explicit message_socket(owned_descriptor descriptor) noexcept
      : descriptor_(std::move(descriptor)), connected_(true) {}

  owned_descriptor descriptor_;
  bool connected_ = false;
};

}  // namespace zklock::cli
