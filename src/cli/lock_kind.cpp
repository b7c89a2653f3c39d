#include "src/cli/lock_kind.hpp"

#include <charconv>
#include <string_view>
#include <system_error>

#include <zklock/queue.hpp>

#include "src/cli/usage_error.hpp"

namespace zklock::cli {
namespace {

constexpr std::uint32_t limit_max = 1'000'000;  // the library's

/// The command line has no room for "about that many": digits alone.
std::uint32_t count_of(std::string_view option, const std::string& text) {
  std::uint32_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = failure == std::errc() && end == text.data() + text.size();
  if (!whole || value < 1 || value > limit_max) {
    throw usage_error(std::string(option) + " \"" + text + "\" is not a whole number from 1 to " +
                      std::to_string(limit_max));
  }
  return value;
}

layout layout_of(const kind_options& given) {
  for (const layout one : {layout::native, layout::curator}) {
    if (given.layout.value_or("native") == to_string(one)) {
      return one;
    }
  }
  throw usage_error("--layout \"" + *given.layout + "\" is neither native nor curator");
}

/// Which of them exclude each other.
void require_one_kind(const kind_options& given) {
  const std::string semaphore = given.semaphore ? "--semaphore \"" + *given.semaphore + "\"" : "";
  if (given.shared && given.exclusive) {
    throw usage_error("--shared and --exclusive exclude each other");
  }
  if (given.semaphore && (given.shared || given.exclusive)) {
    throw usage_error((given.shared ? "--shared and " : "--exclusive and ") + semaphore + " exclude each other");
  }
  if (given.permits && !given.semaphore) {
    throw usage_error("--permits \"" + *given.permits + "\" is for --semaphore");
  }
}

}  // namespace

lock_kind kind_of(const kind_options& given) {
  using recipe = lock_kind::recipe;
  require_one_kind(given);
  const layout as = layout_of(given);
  if (!given.semaphore) {
    return {.of = given.shared ? recipe::shared : given.exclusive ? recipe::exclusive : recipe::mutex, .layout = as};
  }
  const std::uint32_t limit = count_of("--semaphore", *given.semaphore);
  const std::uint32_t permits = given.permits ? count_of("--permits", *given.permits) : 1;
  if (permits > limit) {
    throw usage_error("--permits \"" + *given.permits + "\" is more than --semaphore \"" + *given.semaphore + "\" has");
  }
  return {.of = recipe::semaphore, .limit = limit, .permits = permits, .layout = as};
}

}  // namespace zklock::cli
