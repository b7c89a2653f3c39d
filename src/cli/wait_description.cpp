#include "src/cli/wait_description.hpp"

#include <cstddef>

#include "src/cli/participants_output.hpp"

namespace zklock::cli {
namespace {

constexpr std::size_t name_columns_max = 60;

std::string whereabouts_of(const participant& one, const terminal_characters& characters) {
  std::string text;
  const auto add = [&text](const std::string& more) { text += (text.empty() ? "" : ", ") + more; };
  if (!one.host.empty()) add("host " + quoted(one.host, characters, name_columns_max).text);
  if (one.pid) add("process " + std::to_string(*one.pid));
  if (one.since) add("since " + to_text(*one.since));
  return text;
}

}  // namespace

std::string describe_participant(const participant& one, const std::string& unnamed,
                                 const terminal_characters& characters) {
  const std::string whereabouts = whereabouts_of(one, characters);
  return (one.label.empty() ? unnamed : quoted(one.label, characters, name_columns_max).text) +
         (whereabouts.empty() ? "" : " (" + whereabouts + ")");
}

std::string describe_wait(const std::string& path, std::span<const participant> ahead,
                          const terminal_characters& characters) {
  const participant& first = ahead.front();
  const std::size_t others = ahead.size() - 1;
  const std::string has_it = first.state == participant_state::held ? ", held by " : ", wanted before us by ";
  return "waiting for " + path + has_it + describe_participant(first, "another client", characters) +
         (others == 0 ? ""
                      : "; " + std::to_string(others) + (others == 1 ? " other is" : " others are") + " before us");
}

}  // namespace zklock::cli
