#pragma once

#include <sys/random.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "recipes/contender_name.hpp"

namespace zklock::detail {

/// Random ids from the kernel, fetched some at a time. Not thread-safe.
class random_source {
 public:
  recipes::contender_id next_id() {
    const std::uint64_t high = next();
    return {high, next()};
  }

 private:
  std::uint64_t next() {
    if (used_ == words_.size()) {
      // Up to 256 bytes come whole, once the kernel has its entropy.
      while (getrandom(words_.data(), sizeof words_, 0) != static_cast<ssize_t>(sizeof words_)) {}
      used_ = 0;
    }
    return words_[used_++];
  }

  std::array<std::uint64_t, 32> words_{};
  std::size_t used_ = words_.size();
};

}  // namespace zklock::detail
