#include "src/cli/doctor_output.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "src/cli/participants_output.hpp"

namespace zklock::cli {
namespace {

std::string_view name_of(finding::level level) { return level == finding::level::problem ? "problem" : "note"; }

std::string indented(std::string text) {
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; ++at) {
    text.insert(at + 1, "  ");
  }
  return text;
}

std::string counted(std::size_t number, const char* what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

std::vector<const server_fault*> faults_of(const seen_server& server) {
  std::vector<const server_fault*> found;
  for (const server_fault& one : server_faults()) {
    if (server.says.version && has_fault(*server.says.version, one)) {
      found.push_back(&one);
    }
  }
  return found;
}

std::string line_of(const seen_server& server, const terminal_characters& characters) {
  std::string line = "server " + path_text(server.address, characters) + ": ";
  if (!server.says.version) {
    return line + (server.says.reached ? "does not say its version\n" : "not reached\n");
  }
  line += "ZooKeeper " + to_text(*server.says.version);
  const std::size_t faults = faults_of(server).size();
  return line + (faults == 0 ? "" : ", with " + counted(faults, "known fault") + " (--json names them)") + "\n";
}

}  // namespace

std::size_t diagnosis::count(finding::level level) const {
  return static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.end(), [level](const finding& one) { return one.is == level; }));
}

std::string as_text(const diagnosis& all, const terminal_characters& characters) {
  std::string text;
  for (const finding& one : all.findings) {
    text += path_text(one.path, characters) + ": " + std::string(name_of(one.is)) + ": " + one.kind + ": " +
            indented(one.text + "\nmend: " + one.mend) + "\n";
  }
  if (all.open_locks > 0) {
    text += "access: anyone may remove the contenders of " + std::to_string(all.open_locks) + " of " +
            counted(all.locks, "lock") + "\n";
  }
  if (all.kept_locks > 0) {
    text += "kept: " + std::to_string(all.kept_locks) + " of " + counted(all.locks, "lock") +
            " may be free: the only contender's node stays between its holds, and goes when another client comes\n";
  }
  for (const seen_server& one : all.servers) {
    text += line_of(one, characters);
  }
  return text + counted(all.locks, "lock") + ": " + counted(all.count(finding::level::problem), "problem") + ", " +
         counted(all.count(finding::level::note), "note") + "\n";
}

std::string as_json(const diagnosis& all) {
  using json = nlohmann::ordered_json;
  json object;
  object["locks"] = all.locks;
  object["open_locks"] = all.open_locks;
  object["kept_locks"] = all.kept_locks;
  object["findings"] = json::array();
  for (const finding& one : all.findings) {
    object["findings"].push_back(
        {{"kind", one.kind}, {"level", name_of(one.is)}, {"path", one.path}, {"text", one.text}, {"mend", one.mend}});
  }
  object["hidden"] = json::array();
  for (const listed_lock& one : all.hidden) {
    object["hidden"].push_back({{"path", one.path}, {"error", one.error.message()}});
  }
  object["servers"] = json::array();
  for (const seen_server& one : all.servers) {
    json server{
        {"address", one.address}, {"reached", one.says.reached}, {"version", nullptr}, {"faults", json::array()}};
    if (one.says.version) {
      server["version"] = to_text(*one.says.version);
    }
    for (const server_fault* fault : faults_of(one)) {
      server["faults"].push_back({{"ticket", fault->ticket}, {"what", fault->what}});
    }
    object["servers"].push_back(std::move(server));
  }
  constexpr int indent = 2;
  return object.dump(indent, ' ', true, json::error_handler_t::replace) + "\n";
}

}  // namespace zklock::cli
