#include "src/runtime/client_identity.hpp"

#include <unistd.h>

#include <array>
#include <chrono>

#include <spdlog/common.h>  // says where fmt is
#include <spdlog/fmt/chrono.h>

namespace zklock::detail {
namespace {

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

}  // namespace

client_identity::client_identity() : host_(host_name()) {}

std::string client_identity::describe(recipes::contender_mode mode, std::string_view label) {
  // Not std::time(), which reads a coarser clock: at the edge of a second it is behind what a program has read.
  const auto second = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  if (second != second_) {
    second_ = second;
    second_text_ = fmt::format("{:%FT%TZ}", fmt::gmtime(second));
  }
  return recipes::contender_data(mode, host_, getpid(), label, second_text_);
}

}  // namespace zklock::detail
