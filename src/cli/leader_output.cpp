#include "src/cli/leader_output.hpp"

#include <nlohmann/json.hpp>
#include <string_view>

namespace zklock::cli {
namespace {

constexpr std::size_t data_columns_max = 240;

std::string what_of(const leader_view& seen, const terminal_characters& characters) {
  switch (seen.is) {
    case leader_view::state::present: {
      const std::string token = to_string(seen.token);
      return seen.hidden ? token + "  hidden" : token + "  " + quoted(seen.data, characters, data_columns_max).text;
    }
    case leader_view::state::refused: return "refused: " + seen.error.message();
    default: return std::string(to_string(seen.is));
  }
}

}  // namespace

std::string as_line(const leader_view& seen, const terminal_characters& characters) {
  return what_of(seen, characters) + (seen.current ? "\n" : "  (not current)\n");
}

std::string as_json_line(const leader_view& seen) {
  using json = nlohmann::ordered_json;
  const bool leads = seen.is == leader_view::state::present;
  json object;
  object["state"] = to_string(seen.is);
  object["current"] = seen.current;
  object["token"] = leads ? json(to_string(seen.token)) : json(nullptr);
  object["data"] = leads && !seen.hidden ? json(seen.data) : json(nullptr);
  object["node"] = leads ? json(seen.node) : json(nullptr);
  object["session"] = leads ? json(seen.session_id) : json(nullptr);
  object["error"] = seen.error ? json(seen.error.message()) : json(nullptr);
  return object.dump(-1, ' ', true, json::error_handler_t::replace) + "\n";
}

}  // namespace zklock::cli
