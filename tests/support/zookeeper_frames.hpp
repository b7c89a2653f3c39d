#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// As much of ZooKeeper's protocol as it takes to see which client asks what: frames of a 4-byte length, then for a
/// request xid, opcode and body, for a reply xid, zxid, err and body. The first frame of each direction is the
/// handshake, which has neither xid nor opcode.
namespace zklock::test_support {

namespace opcode {
inline constexpr std::int32_t handshake = 0;  ///< ours; the protocol gives it no number
inline constexpr std::int32_t create = 1;
inline constexpr std::int32_t remove = 2;
inline constexpr std::int32_t exists = 3;
inline constexpr std::int32_t get = 4;
inline constexpr std::int32_t set = 5;
inline constexpr std::int32_t get_children = 8;
inline constexpr std::int32_t sync = 9;
inline constexpr std::int32_t ping = 11;
inline constexpr std::int32_t get_children2 = 12;
inline constexpr std::int32_t check = 13;
inline constexpr std::int32_t multi = 14;
inline constexpr std::int32_t create2 = 15;
inline constexpr std::int32_t create_container = 19;
inline constexpr std::int32_t create_ttl = 21;
inline constexpr std::int32_t auth = 100;
inline constexpr std::int32_t set_watches = 101;
inline constexpr std::int32_t close_session = -11;

/// Any of the creates. The C client's zoo_acreate2 sends create2, and create_container for a container.
[[nodiscard]] constexpr bool creates(std::int32_t value) {
  return value == create || value == create2 || value == create_container || value == create_ttl;
}
}  // namespace opcode

struct request_frame {
  std::uint64_t connection = 0;  ///< counts what the proxy has accepted, from 1
  std::int32_t xid = 0;
  std::int32_t opcode = opcode::handshake;
  std::string path;  ///< of a multi: that of its first operation; empty where there is none
};

struct reply_frame {
  std::uint64_t connection = 0;
  std::int32_t xid = 0;  ///< -1: a watch's event, which answers no request
  std::int64_t zxid = 0;
  std::int32_t err = 0;
  std::int32_t opcode = opcode::handshake;  ///< of the request that it answers; 0 for an event as well
  std::string path;                         ///< of the request that it answers
};

inline constexpr std::int32_t event_xid = -1;

/// What it takes to speak for another client's session.
struct session_credentials {
  std::int64_t id = 0;
  std::string password;
};

/// How long the first frame in `bytes` is, its length field included; none while part of it is missing.
[[nodiscard]] std::optional<std::size_t> whole_frame(std::string_view bytes);
/// Whether `bytes` begin with something that is no frame at all, as a four-letter word.
[[nodiscard]] bool not_framed(std::string_view bytes);

// Each takes one whole frame that is not the handshake.
[[nodiscard]] request_frame parse_request(std::string_view frame);
[[nodiscard]] reply_frame parse_reply(std::string_view frame);

[[nodiscard]] session_credentials parse_handshake_reply(std::string_view frame);
/// A handshake that takes the session over, and the request that closes it, to be sent in one piece: the surest way to
/// have a client's session expire at once.
[[nodiscard]] std::string takeover_and_close(const session_credentials& victim);

}  // namespace zklock::test_support
