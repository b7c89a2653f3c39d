#pragma once

#include <cstdint>

#include "src/port/client.hpp"

struct _zhandle;

namespace zklock::client {

/// Sends a request that needs no memory until its answer: any but a multi. Returns the C client's code. The callbacks find
/// `connection`, and the request by `context`.
[[nodiscard]] int send_request(_zhandle* handle, std::uint32_t connection, const any_request& what,
                               const void* context);

}  // namespace zklock::client
