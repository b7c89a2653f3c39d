#include "src/api/client_identity.hpp"

#include <unistd.h>

#include <array>
#include <chrono>
#include <ctime>
#include <utility>

namespace zklock::detail {
namespace {

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::string text_of(std::chrono::sys_seconds second) {
  const std::time_t since_epoch = std::chrono::system_clock::to_time_t(second);
  std::tm parts{};
  gmtime_r(&since_epoch, &parts);
  std::array<char, 32> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text.data(), length};
}

}  // namespace

client_identity::client_identity() : host_(host_name()) {}

std::string client_identity::describe(recipes::contender_mode mode, std::uint64_t owner, std::string_view label,
                                      std::string into) {
  // Not std::time(), which reads a coarser clock: at the edge of a second it is behind what a program has read.
  const auto second = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  if (second != second_) {
    second_ = second;
    second_text_ = text_of(second);
  }
  return recipes::contender_data(mode, host_, getpid(), owner, label, second_text_, std::move(into));
}

}  // namespace zklock::detail
