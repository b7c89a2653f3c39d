#include "src/log/c_client_line.hpp"

#include <algorithm>
#include <utility>

namespace zklock::log {

c_client_line parse_c_client_line(std::string_view line) noexcept {
  constexpr std::string_view mark = ":ZOO_";
  line = line.substr(0, line.find_last_not_of('\n') + 1);  // some of its lines end with one, most do not
  c_client_line parsed{log_level::warning, line};
  const auto at = line.find(mark);
  if (at == std::string_view::npos) {
    return parsed;
  }
  const std::string_view rest = line.substr(at + mark.size());
  const auto end = rest.find('@');
  if (end == std::string_view::npos) {
    return parsed;
  }
  const std::string_view name = rest.substr(0, end);
  if (name == "ERROR") {
    parsed.level = log_level::error;
  } else if (name == "INFO") {
    parsed.level = log_level::info;
  } else if (name == "DEBUG") {
    parsed.level = log_level::debug;
  }
  parsed.text = rest.substr(end + 1);
  return parsed;
}

log_level level_of(const c_client_line& line, c_client_news news) noexcept {
  const auto says = [&line](std::string_view words) { return line.text.find(words) != std::string_view::npos; };
  const bool is_told = news == c_client_news::told ||
                       (says("Authentication scheme ") && says(" failed.")) ||  // the library's: refused credentials
                       (says("sessionId=") && says(" has expired."));
  return line.level == log_level::error && !is_told ? log_level::error : log_level::debug;
}

line_limit::verdict line_limit::ask(std::chrono::nanoseconds now) noexcept {
  const double elapsed = std::chrono::duration<double>(now - last_).count();
  tokens_ = std::min(burst_, tokens_ + elapsed * per_second_);
  last_ = now;
  if (tokens_ < 1) {
    ++suppressed_;
    return {};
  }
  tokens_ -= 1;
  return {true, std::exchange(suppressed_, 0)};
}

}  // namespace zklock::log
