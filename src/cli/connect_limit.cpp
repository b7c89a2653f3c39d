#include "src/cli/connect_limit.hpp"

#include <algorithm>

namespace zklock::cli {
namespace {

/// For the one that answers; and when the only server refuses, it may be about to start.
constexpr std::chrono::milliseconds for_an_answer{1'000};

}  // namespace

std::chrono::milliseconds connect_limit(std::string_view servers, std::chrono::milliseconds session_timeout) {
  const auto others = std::ranges::count(servers.substr(0, servers.find('/')), ',');
  const auto tried_before = others + others % 2;  // of an even number of servers one stands twice in the client's list
  const auto given_up_after = session_timeout * 2 / 3;  // the C client's, of a server that does not answer
  return tried_before * given_up_after + for_an_answer;
}

}  // namespace zklock::cli
