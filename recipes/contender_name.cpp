#include "recipes/contender_name.hpp"

#include <charconv>
#include <cstring>

#include "recipes/effort.hpp"

namespace zklock::recipes {
namespace {

constexpr std::size_t sequence_digits = 10;

std::array<char, 16> hex_digits(std::uint64_t number) noexcept {
  constexpr std::string_view digits = "0123456789abcdef";
  std::array<char, 16> text{};
  for (auto place = text.rbegin(); place != text.rend(); ++place, number >>= 4) {
    *place = digits[number & 0xF];
  }
  return text;
}

/// As starts_with and ends_with, which gcc 12 leaves as calls here: 2,000 instructions of a semaphore's cycle.
[[gnu::always_inline]] inline bool begins(std::string_view text, std::string_view with) noexcept {
  return text.size() >= with.size() && std::memcmp(text.data(), with.data(), with.size()) == 0;
}
[[gnu::always_inline]] inline bool ends(std::string_view text, std::string_view with) noexcept {
  return text.size() >= with.size() &&
         std::memcmp(text.data() + text.size() - with.size(), with.data(), with.size()) == 0;
}

/// The sequence number at the end of a name ("%010d": ten characters, or eleven when it is negative and long), and what
/// stands before it.
std::optional<std::pair<std::string_view, sequence_number>> split_sequence(std::string_view name) noexcept {
  if (name.size() < sequence_digits) {
    return std::nullopt;
  }
  const char* const name_end = name.data() + name.size();
  name.remove_suffix(sequence_digits);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(name_end - sequence_digits, name_end, number);
  if (error != std::errc{} || end != name_end) {
    return std::nullopt;
  }
  // "…-lock-2147483648" has no positive reading: the dash is the sign of a counter that has gone round.
  if (ends(name, "--") || ends(name, "_-")) {
    number = -number;
    name.remove_suffix(1);
  }
  if (number > INT32_MAX || number < INT32_MIN) {
    return std::nullopt;
  }
  return std::pair{name, sequence_number{static_cast<std::int32_t>(number)}};
}

/// The number in "permit-<id>-<n>-"; nothing if there is none that makes sense.
std::optional<std::uint32_t> permits_in(std::string_view prefix) noexcept {
  prefix.remove_suffix(1);
  const char* const digits_end = prefix.data() + prefix.size();
  prefix.remove_prefix(prefix.rfind('-') + 1);
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(prefix.data(), digits_end, number);
  const bool sound = error == std::errc{} && end == digits_end && number > 0;
  return sound && number <= permits_max ? std::optional(number) : std::nullopt;
}

constexpr std::string_view curator_read = "__READ__";
constexpr std::string_view curator_write = "__WRIT__";

/// A random UUID as Java writes it: 36 lower-case characters, of version 4.
node_name uuid_of(const contender_id& id) {
  const std::string_view text = id.text();
  constexpr std::string_view variants = "89ab";
  const char variant = variants[static_cast<std::size_t>(text[16] % 4)];
  return {text.substr(0, 8),  "-", text.substr(8, 4), "-", "4", text.substr(13, 3), "-", {&variant, 1},
          text.substr(17, 3), "-", text.substr(20)};
}

std::string_view curator_marker(contender_kind kind) noexcept {
  switch (kind) {
    case contender_kind::read: return curator_read;
    case contender_kind::write: return curator_write;
    case contender_kind::lease: return "lease-";
    case contender_kind::latch: return "latch-";
    case contender_kind::mutex:
    case contender_kind::permit:
    case contender_kind::foreign: break;
  }
  return "lock-";
}

}  // namespace

contender_id::contender_id(std::uint64_t high, std::uint64_t low) noexcept {
  std::size_t place = 0;
  for (const char digit : hex_digits(high)) {
    digits_[place++] = digit;
  }
  for (const char digit : hex_digits(low)) {
    digits_[place++] = digit;
  }
}

std::optional<parsed_name> parse_contender_name(std::string_view name) noexcept {
  ++effort_of_thread.names;
  if (name == curator_leases.substr(1)) {
    return parsed_name{contender_kind::foreign, sequence_number{INT32_MIN}};  // below it stand a semaphore's holders
  }
  const auto split = split_sequence(name);
  if (!split) {
    return std::nullopt;
  }
  const auto [prefix, sequence] = *split;
  if (ends(prefix, curator_read)) {
    return parsed_name{contender_kind::read, sequence, 0, layout::curator};
  }
  if (ends(prefix, curator_write)) {
    return parsed_name{contender_kind::write, sequence, 0, layout::curator};
  }
  if (ends(prefix, "-lease-")) {
    return parsed_name{contender_kind::lease, sequence, 1, layout::curator};
  }
  if (ends(prefix, "-latch-")) {
    return parsed_name{contender_kind::latch, sequence, 0, layout::curator};
  }
  if (ends(prefix, "-lock-") || ends(prefix, "__lock__")) {
    return parsed_name{contender_kind::mutex, sequence};
  }
  if (begins(prefix, "read-")) {
    return parsed_name{contender_kind::read, sequence};
  }
  if (begins(prefix, "write-")) {
    return parsed_name{contender_kind::write, sequence};
  }
  const bool permit = begins(prefix, "permit-");
  if (permit && ends(prefix, "-")) {
    if (const auto permits = permits_in(prefix)) {
      return parsed_name{contender_kind::permit, sequence, *permits};
    }
  }
  if (permit || ends(prefix, "__rlock__")) {
    return parsed_name{contender_kind::foreign, sequence};
  }
  return std::nullopt;
}

bool of_one_recipe(contender_kind one, contender_kind other) noexcept {
  const auto is_side = [](contender_kind kind) {
    return kind == contender_kind::read || kind == contender_kind::write;
  };
  return one != contender_kind::foreign && (one == other || (is_side(one) && is_side(other)));
}

bool of_one_recipe(const parsed_name& one, const parsed_name& other) noexcept {
  return of_one_recipe(one.kind, other.kind) && (one.kind == contender_kind::mutex || one.layout == other.layout);
}

std::string curator_reader_of(std::string_view writer) {
  std::string name(writer);
  const std::size_t marker = name.rfind(curator_write);
  return marker == std::string::npos ? name : name.replace(marker, curator_write.size(), curator_read);
}

node_name contender_prefix(contender_kind kind, const contender_id& id, std::uint32_t permits, layout as) {
  if (as == layout::curator) {
    return {"_c_", uuid_of(id), "-", curator_marker(kind)};
  }
  switch (kind) {
    case contender_kind::read: return {"read-", id.text(), "-"};
    case contender_kind::write: return {"write-", id.text(), "-"};
    case contender_kind::permit: return {"permit-", id.text(), "-", std::to_string(permits), "-"};
    case contender_kind::mutex:
    case contender_kind::latch:
    case contender_kind::lease:
    case contender_kind::foreign: break;
  }
  return {id.text(), "-lock-"};
}

}  // namespace zklock::recipes
