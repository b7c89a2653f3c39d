#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace zklock::test_support {

/// What the server at 127.0.0.1:port answers to a four-letter word (ruok, srvr, mntr, cons, wchp …).
/// Empty when no answer comes within the limit: no server, a stopped one, or one that does not serve yet.
[[nodiscard]] std::string ask_server(std::uint16_t port, std::string_view word,
                                     std::chrono::milliseconds limit = std::chrono::seconds{10});

}  // namespace zklock::test_support
