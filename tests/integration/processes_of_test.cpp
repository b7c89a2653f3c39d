#include "tests/integration/processes_of_test.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

namespace zklock::test {
namespace {

std::string content_of(const std::filesystem::path& file) {
  std::ostringstream text;  // a process that ends meanwhile makes the read fail; an iterator would throw
  text << std::ifstream(file).rdbuf();
  return text.str();
}

}  // namespace

std::vector<pid_t> processes_with(const std::vector<std::string>& texts) {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != name.npos) continue;
    const std::string environment = content_of(entry.path() / "environ");  // empty: a zombie, gone, or not ours
    if (std::ranges::all_of(texts, [&](const auto& text) { return environment.find(text) != environment.npos; })) {
      found.push_back(std::stoi(name));
    }
  }
  return found;
}

std::string name_of_process(pid_t pid) {
  const std::string text = content_of("/proc/" + std::to_string(pid) + "/comm");
  return text.substr(0, text.find('\n'));
}

std::vector<pid_t> children_of_process(pid_t pid) {
  const std::string number = std::to_string(pid);
  std::istringstream text(content_of("/proc/" + number + "/task/" + number + "/children"));
  return {std::istream_iterator<pid_t>(text), {}};
}

std::string blocked_by_process(pid_t pid) {
  const std::string text = content_of("/proc/" + std::to_string(pid) + "/status");
  const std::size_t line = text.find("\nSigBlk:");
  return line == text.npos ? "gone" : text.substr(line + 1, text.find('\n', line + 1) - line - 1);
}

char state_of_process(pid_t pid) {
  const std::string text = content_of("/proc/" + std::to_string(pid) + "/stat");
  const std::size_t name_end = text.rfind(") ");
  return name_end == text.npos ? '?' : text[name_end + 2];
}

}  // namespace zklock::test
