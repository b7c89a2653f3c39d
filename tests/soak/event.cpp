#include "tests/soak/event.hpp"

#include <array>
#include <sstream>
#include <tuple>

namespace zklock::soak {
namespace {

// One list of fields an event, for writing and for reading.
auto fields(auto& of) {
  using kind = std::remove_cvref_t<decltype(of)>;
  if constexpr (std::is_same_v<kind, attempt_began>) {
    return std::tie(of.attempt, of.lock, of.style, of.at, of.limit, of.session);
  } else if constexpr (std::is_same_v<kind, attempt_ended>) {
    return std::tie(of.attempt, of.outcome, of.at, of.overrun, of.excused);
  } else if constexpr (std::is_same_v<kind, held_first>) {
    return std::tie(of.attempt, of.token, of.node, of.asked, of.at);
  } else if constexpr (std::is_same_v<kind, held_still>) {
    return std::tie(of.attempt, of.at);
  } else if constexpr (std::is_same_v<kind, loss_seen>) {
    return std::tie(of.attempt, of.reason, of.at);
  } else if constexpr (std::is_same_v<kind, write_begun>) {
    return std::tie(of.attempt, of.token, of.base);
  } else if constexpr (std::is_same_v<kind, write_ended>) {
    return std::tie(of.attempt, of.accepted);
  } else if constexpr (std::is_same_v<kind, read_refused>) {
    return std::tie(of.attempt);
  } else if constexpr (std::is_same_v<kind, released>) {
    return std::tie(of.attempt, of.outcome, of.at);
  } else if constexpr (std::is_same_v<kind, session_closing>) {
    return std::tie(of.session);
  } else if constexpr (std::is_same_v<kind, session_renewed>) {
    return std::tie(of.took);
  } else if constexpr (std::is_same_v<kind, at_rest>) {
    return std::tie(of.at);
  } else {
    return std::tie(of.attempt);  // wrong: its text is the rest of the line
  }
}

constexpr std::array<std::string_view, std::variant_size_v<event>> names{
    "began",           "ended",       "held",         "still",      "lost",
    "write",           "write-ended", "read-refused", "given-back", "session-closing",
    "session-renewed", "wrong",       "at-rest"};

void put(std::ostream& out, const auto& value) { out << ' ' << value; }
void put(std::ostream& out, const nanoseconds& value) { out << ' ' << value.count(); }
void put(std::ostream& out, const instant& value) { put(out, value.time_since_epoch()); }

void take(std::istream& in, auto& value) { in >> value; }
void take(std::istream& in, nanoseconds& value) {
  nanoseconds::rep count = 0;
  in >> count;
  value = nanoseconds(count);
}
void take(std::istream& in, instant& value) {
  nanoseconds since_boot{0};
  take(in, since_boot);
  value = instant(since_boot);
}

template <std::size_t Kind = 0>
std::optional<event> parse_as(std::string_view name, std::istream& in) {
  if constexpr (Kind == std::variant_size_v<event>) {
    return std::nullopt;
  } else {
    if (name != names.at(Kind)) return parse_as<Kind + 1>(name, in);
    std::variant_alternative_t<Kind, event> read;
    std::apply([&in](auto&... field) { (take(in, field), ...); }, fields(read));
    if (!in) return std::nullopt;
    if constexpr (std::is_same_v<decltype(read), wrong>) std::getline(in >> std::ws, read.what);
    return read;
  }
}

}  // namespace

std::string to_line(const event& what) {
  std::ostringstream out;
  out << names.at(what.index());
  std::visit(
      [&out](const auto& one) {
        std::apply([&out](const auto&... field) { (put(out, field), ...); }, fields(one));
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(one)>, wrong>) out << ' ' << one.what;
      },
      what);
  out << '\n';
  return out.str();
}

std::optional<event> parse(std::string_view line) {
  std::istringstream in{std::string(line)};
  std::string name;
  in >> name;
  return parse_as(name, in);
}

}  // namespace zklock::soak
