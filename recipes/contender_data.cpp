#include "recipes/contender_data.hpp"

namespace zklock::recipes {
namespace {

void add_line(std::string& text, std::string_view key, std::string_view value) {
  text.append(key).append("=").append(value).append("\n");
}

}  // namespace

std::string contender_data(contender_mode mode, std::string_view host, std::int64_t pid, std::string_view label,
                           std::string_view time) {
  std::string text;
  switch (mode) {
    case contender_mode::write: add_line(text, "mode", "write"); break;
  }
  add_line(text, "host", host);
  add_line(text, "pid", std::to_string(pid));
  if (!label.empty()) {
    add_line(text, "label", label);
  }
  add_line(text, "time", time);
  return text;
}

}  // namespace zklock::recipes
