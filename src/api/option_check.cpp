#include "src/api/option_check.hpp"

#include <algorithm>
#include <string>

#include <zklock/error.hpp>
#include <zklock/fencing_token.hpp>

#include "recipes/contender_name.hpp"
#include "recipes/deadline_terms.hpp"
#include "src/errors/printable.hpp"

namespace zklock::detail {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds timeout_min{100};
constexpr milliseconds timeout_max = std::chrono::hours(1);
constexpr milliseconds duration_max = std::chrono::hours(24 * 366);
constexpr std::size_t label_size_max = 256;
constexpr std::size_t name_size_max = 64;
constexpr milliseconds turns_time_max = std::chrono::hours(1);

[[noreturn]] void refuse(std::string_view option, const std::string& value) {
  throw error(errc::invalid_option, "option", std::string(option) + " = " + value);
}

std::string text(milliseconds value) { return std::to_string(value.count()) + " ms"; }

std::string outside(const std::string& value, const std::string& least, const std::string& most) {
  return value + " (" + least + " to " + most + ")";
}

}  // namespace

namespace {

void require_text(std::string_view option, std::string_view value, std::size_t size_max) {
  const bool control = std::any_of(value.begin(), value.end(), [](char letter) {
    return static_cast<unsigned char>(letter) < 0x20 || letter == 0x7F;
  });
  if (control) {
    refuse(option, "\"" + printable(value) + "\" (has a control character)");
  }
  if (value.size() > size_max) {
    refuse(option, std::to_string(value.size()) + " bytes (at most " + std::to_string(size_max) + ")");
  }
}

}  // namespace

/// A line break would forge a line of the contender's data (F105).
void require_valid_label(std::string_view label) { require_text("label", label, label_size_max); }

void require_valid_name(std::string_view name) { require_text("name", name, name_size_max); }

void require_valid_duration(milliseconds value, std::string_view option) {
  if (value.count() < 0 || value > duration_max) {
    refuse(option, outside(text(value), "0", text(duration_max)));
  }
}

void require_valid_long_duration(milliseconds value, std::string_view option) {
  constexpr milliseconds most = std::chrono::hours(24 * 30);
  if (value.count() < 0 || value > most) {
    refuse(option, outside(text(value), "0", text(most)));
  }
}

namespace {

milliseconds whole(std::chrono::nanoseconds value) { return std::chrono::floor<milliseconds>(value); }

void require_valid_deadline(const session_options& options) {
  const milliseconds tick_max = whole(recipes::greatest_tick(options.timeout));
  if (options.tick.count() < 0 || options.tick > tick_max) {
    refuse("tick", outside(text(options.tick), "0", text(tick_max) + " with a timeout of " + text(options.timeout)));
  }
  const std::chrono::nanoseconds tick = recipes::expected_terms({options.timeout, options.tick, {}}).tick;
  const milliseconds margin_max = whole(recipes::greatest_margin(options.timeout, tick));
  if (options.margin.count() < 0 || options.margin > margin_max) {
    refuse("margin", outside(text(options.margin), "0",
                             text(margin_max) + " with a timeout of " + text(options.timeout) + " and a tick of " +
                                 text(whole(tick))));
  }
}

}  // namespace

void require_valid(const session_options& options, bool adopted) {
  if (options.timeout < timeout_min || options.timeout > timeout_max) {
    refuse("timeout", outside(text(options.timeout), text(timeout_min), text(timeout_max)));
  }
  if (adopted) {
    require_valid_duration(options.margin, "margin");
    require_valid_duration(options.tick, "tick");
  } else {
    require_valid_deadline(options);
  }
  require_valid_duration(options.close_time_limit, "close_time_limit");
  require_valid_long_duration(options.slow_wait, "slow_wait");
  require_valid_label(options.label);
  static_cast<void>(wire_acl(options.acl));
  if (!adopted) {
    require_credentials(options.acl, options.auth);
  }
  if (!options.auth.empty() && options.auth.find(':') == std::string::npos) {
    refuse("auth", "... (not user:password)");  // a log is no place for it
  }
}

void require_credentials(const acl& entries, std::string_view auth) {
  const auto of_creator = [](const acl_entry& one) { return one.scheme == "auth"; };
  if (auth.empty() && std::any_of(entries.begin(), entries.end(), of_creator)) {
    refuse("acl", "scheme auth, as acl_creator() has it (needs session_options::auth)");
  }
}

bool is_valid_permits(std::int64_t value) noexcept { return value > 0 && value <= recipes::permits_max; }

std::uint32_t require_valid_permits(std::int64_t value, std::string_view option) {
  if (!is_valid_permits(value)) {
    refuse(option, outside(std::to_string(value), "1", std::to_string(recipes::permits_max)));
  }
  return static_cast<std::uint32_t>(value);
}

void require_valid(const local_handover& options) {
  constexpr std::uint32_t turns_max = zklock::fencing_token::turns_per_node;
  if (options.max_turns < 1 || options.max_turns > turns_max) {
    refuse("hand_over.max_turns", outside(std::to_string(options.max_turns), "1", std::to_string(turns_max)));
  }
  if (options.max_time.count() < 0 || options.max_time > turns_time_max) {
    refuse("hand_over.max_time", outside(text(options.max_time), "0", text(turns_time_max)));
  }
}

void require_valid(const kept_lock& options, milliseconds timeout, recipes::contender_kind of) {
  if (of != recipes::contender_kind::mutex) {
    refuse("keep", "set (for a recursive_mutex or a native semaphore_mutex alone)");
  }
  if (options.idle_limit.count() < 0 || options.idle_limit > timeout / 2) {
    refuse("keep.idle_limit",
           outside(text(options.idle_limit), "0", text(timeout / 2) + " with a timeout of " + text(timeout)));
  }
}

void require_valid_layout(layout value) {
  if (value != layout::native && value != layout::curator) {
    refuse("layout", std::to_string(static_cast<int>(value)) + " (layout::native or layout::curator)");
  }
}

void require_valid_names(election_names value) {
  if (value != election_names::selector && value != election_names::latch) {
    refuse("names", std::to_string(static_cast<int>(value)) + " (election_names::selector or election_names::latch)");
  }
}

client::acl wire_acl(const acl& entries) {
  if (entries.empty()) {
    refuse("acl", "no entries (at least one)");
  }
  client::acl wire;
  for (const acl_entry& one : entries) {
    const auto bits = static_cast<std::int32_t>(one.permissions);
    if (one.scheme.empty() || bits < 0 || bits > 31) {
      refuse("acl", "\"" + printable(one.scheme + ":" + one.id) + "\" with permissions " + std::to_string(bits) +
                        " (needs a scheme, and permissions of 0 to 31)");
    }
    wire.push_back({bits, one.scheme, one.id});
  }
  return wire;
}

}  // namespace zklock::detail
