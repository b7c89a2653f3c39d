#pragma once

#include <string_view>

#include "src/port/client.hpp"

namespace zklock::client {

/// A server drops the connection over a request of more than about 1 MB, and the code then says "connection lost":
/// a client that repeats such a request repeats it for ever.
inline constexpr std::size_t request_bytes_max = 1'000'000;

/// "/", or "/a/b": absolute, no empty, "." or ".." part, no control character, no "/" at the end.
[[nodiscard]] bool valid_path(std::string_view path) noexcept;
/// The same for the start of a name that the server completes with a number: "/a/" and "/a/." will do.
[[nodiscard]] bool valid_sequential_path(std::string_view path) noexcept;

/// What a request that must not be sent is answered with; ok: it may be sent. bad_arguments: a path is not valid, or a
/// multi has no operation or a container. The C client must not see it: an invalid path in a multi makes it free
/// uninitialised memory, a container there aborts it (F82). too_large: all else is fine (F193).
[[nodiscard]] code answer_instead_of_sending(const any_request& what) noexcept;
[[nodiscard]] inline bool may_be_sent(const any_request& what) noexcept {
  return answer_instead_of_sending(what) == code::ok;
}

}  // namespace zklock::client
