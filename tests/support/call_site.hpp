#pragma once

namespace zklock::test_support {

/// The line that calls a function which takes this as `const call_site& from = call_site::current()`. What
/// std::source_location is, which clang 14 lacks.
struct call_site {
  const char* file;
  int line;

  [[nodiscard]] static constexpr call_site current(const char* file = __builtin_FILE(),
                                                   int line = __builtin_LINE()) noexcept {
    return {file, line};
  }
};

}  // namespace zklock::test_support
