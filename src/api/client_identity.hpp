#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "recipes/contender_data.hpp"
#include "recipes/contender_name.hpp"
#include "src/api/random_source.hpp"

namespace zklock::detail {

/// What contenders say of this client: their ids, and the data of their nodes. One thread at a time.
class client_identity {
 public:
  client_identity();

  /// 128 random bits.
  [[nodiscard]] recipes::contender_id next_id() { return random_.next_id(); }
  /// With this machine's name, this process and the time, in seconds.
  [[nodiscard]] std::string describe(recipes::contender_mode mode, std::uint64_t owner, std::string_view label,
                                     std::string into);

 private:
  const std::string host_;
  random_source random_;
  std::optional<std::chrono::sys_seconds> second_;  ///< of which the text is
  std::string second_text_;
};

}  // namespace zklock::detail
