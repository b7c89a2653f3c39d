#include "src/cli/participants_output.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace zklock::cli {

std::string to_text(std::chrono::system_clock::time_point when) {
  using namespace std::chrono;
  const auto second = floor<seconds>(when);
  const year_month_day date(floor<days>(second));
  const hh_mm_ss time(second - floor<days>(second));
  std::array<char, 64> text{};
  const int size = std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02dZ",
                                 static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                                 static_cast<unsigned>(date.day()), static_cast<int>(time.hours().count()),
                                 static_cast<int>(time.minutes().count()), static_cast<int>(time.seconds().count()));
  return {text.data(), static_cast<std::size_t>(size)};
}
namespace {

constexpr std::size_t node_columns_max = 240;
constexpr std::size_t text_columns_max = 60;
constexpr std::size_t line_columns_max = 80;
constexpr std::size_t host_columns_min = 4;
constexpr std::size_t label_columns_min = 5;  ///< with its quotation marks
constexpr std::size_t quotation_marks = 2;
constexpr std::string_view not_known = "-";
constexpr std::string_view gap = "  ";

// ---- for people -----------------------------------------------------------------------------------------------------

struct column {
  std::string_view title;
  bool of_numbers = false;
};
constexpr std::size_t host_column = 2;
constexpr std::size_t label_column = 4;
constexpr std::size_t kind_column = 5;
constexpr std::size_t permits_column = 6;
constexpr std::size_t layout_column = 7;
constexpr std::size_t token_column = 8;
constexpr std::size_t node_column = 9;
constexpr std::array<column, 10> columns{{{"STATE"},
                                          {"SINCE"},
                                          {"HOST"},
                                          {"PID", true},
                                          {"LABEL"},
                                          {"KIND"},
                                          {"PERMITS", true},
                                          {"LAYOUT"},
                                          {"TOKEN"},
                                          {"NODE"}}};
using row = std::array<terminal_text, columns.size()>;
using column_widths = std::array<std::size_t, columns.size()>;

/// Our own words: ASCII.
terminal_text plain(std::string_view text) { return {std::string(text), text.size()}; }

/// A holder that was asked to let go holds all the same. Of one that may be kept (lock_options::keep) nobody knows but its process.
std::string_view state_text(const participant& one) {
  if (one.state != participant_state::held) {
    return to_string(one.state);
  }
  return one.revocation_requested ? "asked" : one.may_be_idle ? "held?" : "held";
}

/// One word, so that it cannot be taken for two columns.
terminal_text word(std::string_view bytes, const terminal_characters& characters, std::size_t columns_max) {
  if (bytes.empty()) {
    return plain(not_known);
  }
  std::string text;
  for (const char one : bytes) {
    text += one == ' ' ? std::string("\\x20") : std::string(1, one);
  }
  return shown(text, characters, columns_max);
}

terminal_text quotation(std::string_view bytes, const terminal_characters& characters, std::size_t columns_max) {
  if (bytes.empty()) {
    return plain(not_known);
  }
  terminal_text result = quoted(bytes, characters, columns_max - quotation_marks);
  result.columns += quotation_marks;
  return result;
}

terminal_text number(std::optional<std::int64_t> value) {
  return plain(value ? std::to_string(*value) : std::string(not_known));
}

std::string known(const fencing_token& token) { return token.czxid == 0 ? std::string() : to_string(token); }

/// Columns that a text of a participant takes at most.
struct text_limits {
  std::size_t host = text_columns_max;
  std::size_t label = text_columns_max + quotation_marks;
};

bool wants_permits(const participant& one) { return one.kind == participant_kind::permits; }

bool is_curators(const participant& one) { return one.layout == layout::curator; }

/// How many it wants, if it says so.
std::optional<std::int64_t> permits_of(const participant& one) {
  return wants_permits(one) && one.permits > 0 ? std::optional<std::int64_t>(one.permits) : std::nullopt;
}

/// The lock node's word is for native ones.
std::optional<std::int64_t> limit_of(const participant& one, std::optional<std::int64_t> limit) {
  return wants_permits(one) && !is_curators(one) && limit ? std::optional<std::int64_t>(*limit) : std::nullopt;
}

std::string permits_text(const participant& one, std::optional<std::int64_t> limit) {
  const auto wanted = permits_of(one);
  const auto of_all = limit_of(one, limit);
  return (wanted ? std::to_string(*wanted) : std::string(not_known)) +
         (wanted && of_all ? "/" + std::to_string(*of_all) : std::string());
}

row row_of(const participant& one, std::optional<std::int64_t> limit, const terminal_characters& characters,
           const text_limits& most) {
  return {plain(state_text(one)),
          plain(one.since ? to_text(*one.since) : std::string(not_known)),
          word(one.host, characters, most.host),
          number(one.pid),
          quotation(one.label, characters, most.label),
          plain(to_string(one.kind)),
          plain(permits_text(one, limit)),
          plain(one.layout ? to_string(*one.layout) : not_known),
          plain(one.token.czxid == 0 ? std::string(not_known) : to_string(one.token)),
          word(one.node, characters, node_columns_max)};
}

/// A column without width is left out.
std::string line_of(const row& cells, const column_widths& widths) {
  std::string line;
  for (std::size_t place = 0; place < cells.size(); ++place) {
    if (widths[place] == 0) {
      continue;
    }
    const std::string padding(widths[place] - cells[place].columns, ' ');
    line += line.empty() ? "" : gap;
    line += columns[place].of_numbers ? padding + cells[place].text : cells[place].text + padding;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

/// All are mutexes, or PERMITS says of all what they are.
bool kinds_are_told(std::span<const participant> queue) {
  return std::ranges::all_of(queue, [&queue](const participant& one) {
    return one.kind == queue.front().kind && (one.kind == participant_kind::mutex || wants_permits(one));
  });
}

column_widths widths_of(std::span<const row> rows) {
  column_widths widths{};
  for (const row& cells : rows) {
    for (std::size_t place = 0; place < cells.size(); ++place) {
      widths[place] = std::max(widths[place], cells[place].columns);
    }
  }
  return widths;
}

void leave_out(column_widths& widths, std::span<const participant> queue, table_form form) {
  if (std::ranges::none_of(queue, wants_permits)) {
    widths[permits_column] = 0;
  }
  if (form == table_form::whole) {
    if (std::ranges::none_of(queue, is_curators)) {
      widths[layout_column] = 0;
    }
    return;
  }
  if (kinds_are_told(queue)) {
    widths[kind_column] = 0;
  }
  for (const std::size_t place : {layout_column, token_column, node_column}) {
    widths[place] = 0;
  }
}

/// So that a line fits: each of the two gets half of what the others leave, and what its neighbour does not need.
text_limits limits_for(const column_widths& widths) {
  std::size_t others = 0;
  for (std::size_t place = 0; place < widths.size(); ++place) {
    const bool is_cut = place == host_column || place == label_column;
    others += is_cut ? gap.size() : widths[place] == 0 ? 0 : widths[place] + gap.size();
  }
  others -= gap.size();
  const std::size_t host_wants = widths[host_column];
  const std::size_t label_wants = widths[label_column];
  const std::size_t room =
      std::max(line_columns_max - std::min(line_columns_max, others), host_columns_min + label_columns_min);
  const std::size_t host = std::min(host_wants, std::max(room / 2, room - std::min(room, label_wants)));
  return {.host = std::max(host, host_columns_min), .label = std::max(room - host, label_columns_min)};
}

}  // namespace

std::string as_table(std::span<const participant> queue, std::optional<std::int64_t> limit, table_form form,
                     const terminal_characters& characters) {
  if (queue.empty()) {
    return {};
  }
  const auto rows_of = [&](const text_limits& most) {
    std::vector<row> rows(1);
    std::transform(columns.begin(), columns.end(), rows[0].begin(), [](const column& one) { return plain(one.title); });
    for (const participant& one : queue) {
      rows.push_back(row_of(one, limit, characters, most));
    }
    return rows;
  };
  std::vector<row> rows = rows_of({});
  column_widths widths = widths_of(rows);
  leave_out(widths, queue, form);
  if (form == table_form::narrow) {
    rows = rows_of(limits_for(widths));
    widths = widths_of(rows);
    leave_out(widths, queue, form);
  }
  std::string table;
  for (const row& cells : rows) {
    table += line_of(cells, widths);
  }
  return table;
}

std::string as_table(std::span<const listed_lock> locks, table_form form, const terminal_characters& characters) {
  std::string tables;
  for (const listed_lock& one : locks) {
    if (!one.error) {
      tables += tables.empty() ? "" : "\n";
      tables += path_text(one.path, characters) + "\n" + as_table(one.participants, one.permit_limit, form, characters);
    }
  }
  return tables;
}

std::string path_text(std::string_view path, const terminal_characters& characters) {
  constexpr std::size_t columns_of_a_byte = 4;  // of \xNN: so it is never cut
  return word(path, characters, columns_of_a_byte * path.size()).text;
}

// ---- for programs ---------------------------------------------------------------------------------------------------

namespace {

using json = nlohmann::ordered_json;

json or_null(const std::string& text) { return text.empty() ? json(nullptr) : json(text); }

json or_null(std::optional<std::int64_t> number) { return number ? json(*number) : json(nullptr); }

json object_of(const participant& one, std::optional<std::int64_t> limit) {
  json object;
  object["position"] = one.position;
  object["state"] = to_string(one.state);
  object["kind"] = to_string(one.kind);
  object["permits"] = or_null(permits_of(one));
  object["limit"] = or_null(limit_of(one, limit));
  object["layout"] = one.layout ? json(to_string(*one.layout)) : json(nullptr);
  object["node"] = one.node;
  object["token"] = or_null(known(one.token));
  object["host"] = or_null(one.host);
  object["pid"] = or_null(one.pid);
  object["owner"] = one.owner ? json(*one.owner) : json(nullptr);
  object["label"] = or_null(one.label);
  object["since"] = one.since ? json(to_text(*one.since)) : json(nullptr);
  object["revocation_requested"] = one.revocation_requested;
  object["may_be_idle"] = one.may_be_idle;
  return object;
}

json array_of(std::span<const participant> queue, std::optional<std::int64_t> limit) {
  json all = json::array();
  for (const participant& one : queue) {
    all.push_back(object_of(one, limit));
  }
  return all;
}

std::string text_of(const json& all) {
  constexpr int indent = 2;
  constexpr bool ascii_alone = true;  // so that no terminal and no program is spoken to
  return all.dump(indent, ' ', ascii_alone, json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string as_json(std::span<const participant> queue, std::optional<std::int64_t> limit) {
  return text_of(array_of(queue, limit));
}

std::string as_json(std::span<const listed_lock> locks) {
  json all = json::array();
  for (const listed_lock& one : locks) {
    json object;
    object["path"] = one.path;
    object["error"] = one.error ? json(one.error.message()) : json(nullptr);
    object["participants"] = array_of(one.participants, one.permit_limit);
    all.push_back(std::move(object));
  }
  return text_of(all);
}

}  // namespace zklock::cli
