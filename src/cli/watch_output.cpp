#include "src/cli/watch_output.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "src/cli/participants_output.hpp"
#include "src/cli/wait_description.hpp"

namespace zklock::cli {
namespace {

using std::chrono::seconds;

constexpr std::size_t lines_above = 4;  ///< the path, the counts, the connection, the titles
constexpr std::size_t text_columns_max = 24;
constexpr std::size_t node_columns_max = 240;
constexpr std::string_view not_known = "-";

/// "9,976".
std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string counts_of(const watched_lock& seen) {
  const auto count = [](std::size_t number, const char* one, const char* several) {
    return number == 0 ? "no client" + std::string(one) : grouped(number) + (number == 1 ? one : several);
  };
  const detail::queue_head& queue = seen.queue;
  return count(queue.holders, " holds it", " hold it") + ", " + count(queue.waiters, " waits", " wait") +
         (queue.limit ? " (limit " + std::to_string(*queue.limit) + ")" : "") + "; " +
         (seen.grants == 1 ? "1 grant" : grouped(seen.grants) + " grants") + " in the last minute";
}

std::string reach_of(const watched_lock& seen) {
  if (seen.out_of_reach_for) {
    return "no server in reach for " + age_text(*seen.out_of_reach_for) + ": so it was before";
  }
  return seen.queue.current && !seen.queue.complete ? "reading ..." : "";
}

std::string kind_of(const participant& one, std::optional<std::int64_t> limit) {
  std::string text(to_string(one.kind));
  if (one.kind == participant_kind::permits && one.permits > 0) {
    text += " " + std::to_string(one.permits) +
            (limit && one.layout == layout::native ? "/" + std::to_string(*limit) : std::string());
  }
  return text;
}

std::optional<seconds> age_of(const participant& one, std::chrono::system_clock::time_point now) {
  return one.since ? std::optional(std::chrono::floor<seconds>(now - *one.since)) : std::nullopt;
}

terminal_text plain(std::string_view text) { return {std::string(text), text.size()}; }

terminal_text text_or_dash(std::string_view bytes, const terminal_characters& characters) {
  return bytes.empty() ? plain(not_known) : shown(bytes, characters, text_columns_max);
}

terminal_text quotation_or_dash(std::string_view bytes, const terminal_characters& characters) {
  if (bytes.empty()) {
    return plain(not_known);
  }
  terminal_text result = quoted(bytes, characters, text_columns_max);
  result.columns += 2;
  return result;
}

struct column {
  const char* title;
  bool of_numbers = false;
};
constexpr std::array<column, 7> columns{
    {{"STATE"}, {"KIND"}, {"AGE", true}, {"HOST"}, {"PID", true}, {"LABEL"}, {"NODE"}}};
using row = std::array<terminal_text, columns.size()>;

row row_of(const participant& one, const watched_lock& seen, const terminal_characters& characters) {
  const auto age = age_of(one, seen.now);
  const std::string_view node = std::string_view(one.node).substr(std::min(seen.path.size() + 1, one.node.size()));
  return {plain(to_string(one.state)),
          plain(kind_of(one, seen.queue.limit)),
          plain(age ? age_text(*age) : std::string(not_known)),
          text_or_dash(one.host, characters),
          plain(one.pid ? std::to_string(*one.pid) : std::string(not_known)),
          quotation_or_dash(one.label, characters),
          shown(node, characters, node_columns_max)};
}

std::string line_of(const row& cells, const std::array<std::size_t, columns.size()>& widths) {
  std::string line;
  for (std::size_t place = 0; place < cells.size(); ++place) {
    const std::string padding(widths[place] - cells[place].columns, ' ');
    line += place == 0 ? "" : "  ";
    line += columns[place].of_numbers ? padding + cells[place].text : cells[place].text + padding;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::vector<std::string> table_of(std::span<const participant> queue, const watched_lock& seen,
                                  const terminal_characters& characters) {
  std::vector<row> rows(1);
  std::transform(columns.begin(), columns.end(), rows[0].begin(), [](const column& one) { return plain(one.title); });
  for (const participant& one : queue) {
    rows.push_back(row_of(one, seen, characters));
  }
  std::array<std::size_t, columns.size()> widths{};
  for (const row& cells : rows) {
    for (std::size_t place = 0; place < cells.size(); ++place) {
      widths[place] = std::max(widths[place], cells[place].columns);
    }
  }
  std::vector<std::string> lines;
  for (const row& cells : rows) {
    lines.push_back(line_of(cells, widths));
  }
  return lines;
}

}  // namespace

std::size_t room_for_contenders(screen_size size) noexcept {
  return size.rows > lines_above ? size.rows - lines_above : 0;
}

std::vector<terminal_text> screen_of(const watched_lock& seen, screen_size size,
                                     const terminal_characters& characters) {
  const detail::queue_head& queue = seen.queue;
  const std::size_t room = room_for_contenders(size);
  std::size_t fitting = std::min(queue.first.size(), room);
  if (queue.size() > fitting && fitting == room && room > 0) {
    --fitting;  // for the line that says how many more there are
  }
  std::vector<std::string> lines{to_text(seen.now) + "  " + path_text(seen.path, characters), counts_of(seen),
                                 reach_of(seen)};
  if (!queue.first.empty()) {
    for (std::string& one : table_of(std::span(queue.first).first(fitting), seen, characters)) {
      lines.push_back(std::move(one));
    }
  }
  if (queue.size() > fitting) {
    lines.push_back("and " + grouped(queue.size() - fitting) + " more");
  }
  lines.resize(std::min(lines.size(), size.rows));
  std::vector<terminal_text> screen;
  for (const std::string& one : lines) {
    screen.push_back(shown(one, characters, size.columns));
    if (screen.back().columns > size.columns) {  // there is no room even for what marks a cut
      screen.back() = plain(std::string(size.columns, '.'));
    }
  }
  return screen;
}

std::string drawing_of(const std::vector<terminal_text>& screen, screen_size size) {
  std::string drawing = "\x1b[H";  // the cursor to the first column of the first line
  for (std::size_t line = 0; line < screen.size(); ++line) {
    drawing += (line == 0 ? "" : "\r\n") + screen[line].text;
    if (screen[line].columns < size.columns) {  // behind a full line the cursor still stands on its last character
      drawing += "\x1b[K";
    }
  }
  return drawing + (screen.size() < size.rows ? "\r\n\x1b[J" : "");
}

bool same_queue(const detail::queue_head& one, const detail::queue_head& other) {
  return one.first == other.first && one.holders == other.holders && one.waiters == other.waiters &&
         one.limit == other.limit && one.grants == other.grants;
}

std::string as_line(const watched_lock& seen, const terminal_characters& characters) {
  if (seen.out_of_reach_for) {
    return to_text(seen.now) + " no server in reach\n";
  }
  const auto& first = seen.queue.first;
  const bool held = !first.empty() && first.front().state == participant_state::held;
  return to_text(seen.now) + " " + counts_of(seen) +
         (held ? "; first: " + describe_participant(first.front(), "a client", characters) + ", node " +
                     path_text(first.front().node, characters)
               : "") +
         "\n";
}

std::string as_json_line(const watched_lock& seen) {
  using json = nlohmann::ordered_json;
  json object;
  object["time"] = to_text(seen.now);
  object["path"] = seen.path;
  object["in_reach"] = !seen.out_of_reach_for;
  object["holders"] = seen.queue.holders;
  object["waiters"] = seen.queue.waiters;
  object["grants_in_the_last_minute"] = seen.grants;
  object["first"] = json::parse(as_json(seen.queue.first, seen.queue.limit));
  return object.dump(-1, ' ', true, json::error_handler_t::replace) + "\n";
}

std::string age_text(seconds age) {
  const auto two = [](auto number) { return (number < 10 ? "0" : "") + std::to_string(number); };
  const auto all = std::max(age.count(), seconds::rep{0});
  constexpr seconds::rep minute = 60;
  constexpr seconds::rep hour = 60 * minute;
  constexpr seconds::rep day = 24 * hour;
  if (all < minute) {
    return std::to_string(all) + "s";
  }
  if (all < hour) {
    return std::to_string(all / minute) + "m" + two(all % minute) + "s";
  }
  if (all < day) {
    return std::to_string(all / hour) + "h" + two(all % hour / minute) + "m";
  }
  return std::to_string(all / day) + "d" + two(all % day / hour) + "h";
}

}  // namespace zklock::cli
