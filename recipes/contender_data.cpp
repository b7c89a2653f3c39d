#include "recipes/contender_data.hpp"

#include <algorithm>
#include <charconv>

#include "recipes/contender_name.hpp"

namespace zklock::recipes {
namespace {

constexpr std::string_view state_key = "mode=";
constexpr std::string_view revocation_line = "revoke=1";

std::string_view text(contender_mode mode) noexcept {
  switch (mode) {
    case contender_mode::write: break;
    case contender_mode::read: return "read";
    case contender_mode::permit: return "permit";
    case contender_mode::granted: return "granted";
  }
  return "write";
}
constexpr std::string_view cut_mark = "\u2026";

void add_line(std::string& text, std::string_view key, std::string_view value) {
  text.append(key).append("=").append(value).append("\n");
}

/// Takes the first line off, without its end.
std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

std::string bounded(std::string_view text) {
  if (text.size() <= described_bytes_max) {
    return std::string(text);
  }
  std::size_t end = described_bytes_max;
  for (int i = 0; i < 3 && (static_cast<unsigned char>(text[end]) >> 6) == 2; ++i) {
    --end;  // not through the middle of a character
  }
  return std::string(text.substr(0, end)).append(cut_mark);
}

/// All of `text`, which has nothing but digits.
template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, failure] = std::from_chars(text.data(), end, value);
  const bool digits_alone = !text.empty() && text.front() != '-' && failure == std::errc{} && rest == end;
  return digits_alone ? std::optional(value) : std::nullopt;
}

/// What a clock that counts nanoseconds from 1970 can hold, with room to spare: others can only be lies.
constexpr int year_min = 1970;
constexpr int year_max = 2261;

/// "2026-11-21T02:10:15Z", and nothing else.
std::optional<std::chrono::sys_seconds> time_in(std::string_view text) {
  using namespace std::chrono;
  constexpr std::string_view form = "dddd-dd-ddTdd:dd:ddZ";
  const auto fits = [](char have, char want) { return want == 'd' ? have >= '0' && have <= '9' : have == want; };
  if (!std::equal(text.begin(), text.end(), form.begin(), form.end(), fits)) {
    return std::nullopt;
  }
  const auto part = [text](std::size_t place, std::size_t size) { return *number_in<int>(text.substr(place, size)); };
  const year_month_day date(year(part(0, 4)), month(static_cast<unsigned>(part(5, 2))),
                            day(static_cast<unsigned>(part(8, 2))));
  const int hour = part(11, 2), minute = part(14, 2), second = part(17, 2);
  const bool holdable = date.year() >= year(year_min) && date.year() <= year(year_max);
  if (!date.ok() || !holdable || hour > 23 || minute > 59 || second > 60) {
    return std::nullopt;
  }
  return sys_days(date) + hours(hour) + minutes(minute) + seconds(second);
}

/// Whether the data of a node of this name are ours, with a state.
bool has_state(std::string_view name) noexcept {
  const auto parsed = parse_contender_name(name);
  return !name.starts_with("_c_") && !(parsed && parsed->layout == layout::curator);
}
bool says_state(std::string_view data, std::string_view name) noexcept {
  return data.starts_with(state_key) && has_state(name);
}

/// The values of the lines behind the state; of each key the first one.
struct described_values {
  std::optional<std::string_view> host, pid, owner, label, time;

  void take(std::string_view line) {
    const std::size_t sign = line.find('=');
    if (sign == std::string_view::npos) {
      return;
    }
    const std::string_view key = line.substr(0, sign);
    std::optional<std::string_view>* const kept = key == "host"    ? &host
                                                  : key == "pid"   ? &pid
                                                  : key == "owner" ? &owner
                                                  : key == "label" ? &label
                                                  : key == "time"  ? &time
                                                                   : nullptr;
    if (kept != nullptr && !*kept) {
      *kept = line.substr(sign + 1);
    }
  }
};

}  // namespace

std::string contender_data(contender_mode mode, std::string_view host, std::int64_t pid, std::uint64_t owner,
                           std::string_view label, std::string_view time, std::string into) {
  constexpr std::size_t without_values = 96;
  into.reserve(without_values + host.size() + label.size() + time.size());
  add_line(into, "mode", text(mode));
  add_line(into, "host", host);
  add_line(into, "pid", std::to_string(pid));
  if (owner != 0) {
    add_line(into, "owner", std::to_string(owner));
  }
  if (!label.empty()) {
    add_line(into, "label", label);
  }
  add_line(into, "time", time);
  return into;
}

contender_mode parse_contender_mode(std::string_view data) noexcept {
  const std::string_view line = take_line(data);
  for (const contender_mode mode : {contender_mode::read, contender_mode::permit, contender_mode::granted}) {
    if (line.starts_with(state_key) && line.substr(state_key.size()) == text(mode)) {
      return mode;
    }
  }
  return contender_mode::write;
}

bool may_be_idle(std::string_view data) noexcept {
  constexpr std::string_view line = "\nkeeps=1\n";
  return data.starts_with(state_key) && data.find(line) != std::string_view::npos;
}

std::string with_mode(contender_mode mode, std::string_view data) {
  std::string lines;
  add_line(lines, "mode", text(mode));
  take_line(data);
  return lines.append(data);
}

bool asks_to_let_go(std::string_view data, std::string_view name) noexcept {
  if (!says_state(data, name)) {
    return data == curator_revocation;
  }
  take_line(data);
  while (!data.empty()) {
    if (take_line(data) == revocation_line) {
      return true;
    }
  }
  return false;
}

revocability revocability_of(std::string_view name, std::string_view data) {
  const auto contender = parse_contender_name(name);
  if (!contender || contender->kind == contender_kind::foreign) {
    return revocability::no_contender;
  }
  if (contender->kind == contender_kind::latch) {
    return revocability::candidate;
  }
  // A lock of Curator's that can be revoked has no data: all others have the host's address, or the program's own.
  const bool may_be_a_leaders = contender->kind == contender_kind::mutex;
  const bool replaced = !says_state(data, name) && !asks_to_let_go(data, name) && (!data.empty() || may_be_a_leaders);
  return replaced ? revocability::data_at_risk : revocability::revocable;
}

std::string with_revocation(std::string_view data, std::string_view name) {
  if (!says_state(data, name)) {
    return std::string(curator_revocation);
  }
  std::string lines(data);
  if (!lines.ends_with('\n')) {
    lines += '\n';
  }
  return lines.append(revocation_line).append("\n");
}

contender_description parse_contender_data(std::string_view data) {
  contender_description told;
  told.asked_to_let_go = asks_to_let_go(data);
  if (data == curator_revocation) {
    return told;
  }
  if (!data.starts_with(state_key)) {
    told.label = bounded(data);
    return told;
  }
  told.mode = parse_contender_mode(data);
  told.may_be_idle = may_be_idle(data);
  take_line(data);
  described_values values;
  while (!data.empty()) {
    values.take(take_line(data));
  }
  told.host = bounded(values.host.value_or(""));
  told.pid = number_in<std::int64_t>(values.pid.value_or(""));
  told.owner = number_in<std::uint64_t>(values.owner.value_or(""));
  told.label = bounded(values.label.value_or(""));
  told.time = time_in(values.time.value_or(""));
  return told;
}

contender_description parse_contender_data(std::string_view data, std::string_view name) {
  if (has_state(name)) {
    return parse_contender_data(data);
  }
  contender_description told;
  told.asked_to_let_go = data == curator_revocation;
  told.label = told.asked_to_let_go ? std::string() : bounded(data);
  return told;
}

}  // namespace zklock::recipes
