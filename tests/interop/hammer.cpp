#include "tests/interop/hammer.hpp"

#include <cctype>
#include <deque>
#include <sstream>
#include <utility>

#include "tests/interop/marks.hpp"

namespace zklock::interop {
namespace {

using namespace std::chrono_literals;

constexpr auto patience = 60s;
constexpr int most_rounds_per_share = 100;

std::string side_of(int round) { return round % 3 == 0 ? "write" : "read"; }

void enter(marks& one, const std::string& kind) {
  if (kind == "read") return one.enter_shared();
  if (kind.starts_with("permits:")) {
    int count = 0, limit = 0;
    char colon = 0;
    std::istringstream(kind.substr(kind.find(':') + 1)) >> count >> colon >> limit;
    one.take_places(count, limit);
    return one.await_others(limit);
  }
  one.enter_alone();
  one.count();
}

}  // namespace

hammer::hammer(own_locks& locks, std::string kind, std::string paths, std::filesystem::path directory)
    : locks_(locks), kind_(std::move(kind)), paths_(std::move(paths)), directory_(std::move(directory)) {}

std::string hammer::strike(char letter, const std::string& sides, int share) {
  const grant_order order(directory_);
  for (int round = 0; !order.over(share, sides); ++round) {
    std::string wrong = round == most_rounds_per_share * share
                            ? "failed: the other side does not come in"
                            : once(kind_ == "sides" ? side_of(round) : kind_, letter);
    if (!wrong.empty()) {
      order.stop();
      return wrong;
    }
  }
  return "done";
}

std::string hammer::once(const std::string& kind, char letter) {
  std::error_code ec;
  grant held = locks_.acquire(kind, paths_, patience, ec);
  if (!held) return "failed: " + (ec ? ec.message() : "not in time");
  try {
    inside(kind, letter, held);
  } catch (const violation& seen) {
    return std::string("violated: ") + seen.what();
  }
  held.release(ec);
  return ec ? "failed: " + ec.message() : "";
}

void hammer::inside(const std::string& kind, char letter, grant& held) {
  std::deque<marks> all;
  std::istringstream paths(paths_);
  for (std::string path; std::getline(paths, path, ',');) {
    enter(all.emplace_back(directory_, path.substr(path.rfind('/') + 1)), kind);
  }
  const bool shared = kind == "read" || kind.starts_with("permits:");
  grant_order(directory_).append(shared ? static_cast<char>(std::tolower(letter)) : letter);
  if (kind_ == "sides" && kind == "write") {
    all.front().share();
    held.downgrade();
    all.front().expect_none_alone();
  }
}

}  // namespace zklock::interop
