#pragma once

#include <string_view>

#include "src/zookeeper/client.hpp"

namespace zklock::client {

/// A server drops the connection over a request of more than about 1 MB, and the code then says "connection lost":
/// a client that repeats such a request repeats it for ever.
inline constexpr std::size_t request_bytes_max = 1'000'000;

/// "/", or "/a/b": absolute, no empty, "." or ".." part, no control character, no "/" at the end.
[[nodiscard]] bool valid_path(std::string_view path) noexcept;
/// The same for the start of a name that the server completes with a number: "/a/" and "/a/." will do.
[[nodiscard]] bool valid_sequential_path(std::string_view path) noexcept;

/// Whether a request may be sent: its paths are valid, it is not too large, and a multi has operations and no
/// container. What fails here is answered with bad_arguments. The C client must not see it: an invalid path in a multi
/// makes it free uninitialised memory, a container there aborts it (F82).
[[nodiscard]] bool may_be_sent(const any_request& what) noexcept;

}  // namespace zklock::client
