#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "examples/demo/ledger.hpp"
#include "examples/demo/token_store.hpp"

namespace demo {

/// What there is once all the workers have ended.
struct outcome {
  token_store::contents store{};
  std::vector<int> statuses{};
  /// Of a client that came afterwards and did not want to wait; nothing: a contender was left before it.
  std::optional<std::int64_t> newcomer_token{};
};

/// The reckoning: everything that is not as it has to be, in words. Empty: all is well.
[[nodiscard]] std::vector<std::string> faults(const ledger& books, const outcome& end);

/// Whether the last write of a killed worker was taken by the store, though the worker had no time to say so.
[[nodiscard]] bool wrote_unsaid(const ledger& books, int killed, const token_store::contents& store);

}  // namespace demo
