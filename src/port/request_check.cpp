#include "src/port/request_check.hpp"

#include <algorithm>
#include <variant>

namespace zklock::client {
namespace {

// What the jute encoding and the operation's header add to path and data, generously.
constexpr std::size_t operation_overhead = 64;

bool is_sequential(create_mode mode) noexcept {
  return mode == create_mode::persistent_sequential || mode == create_mode::ephemeral_sequential;
}

/// Looks at all, and does not stop at the first: so it takes many bytes at a time.
bool has_control_character(std::string_view text) noexcept {
  unsigned found = 0;
  for (const char c : text) {
    found |= static_cast<unsigned>(static_cast<unsigned char>(c) < 0x20) | static_cast<unsigned>(c == 0x7f);
  }
  return found != 0;
}

bool has_valid_parts(std::string_view path) noexcept {
  if (path.empty() || path.front() != '/') {
    return false;
  }
  for (std::string_view rest = path; !rest.empty();) {
    rest.remove_prefix(1);
    const std::string_view part = rest.substr(0, rest.find('/'));
    if (part.empty() || part == "." || part == "..") {
      return false;
    }
    rest.remove_prefix(part.size());
  }
  return !has_control_character(path);
}

struct checker {
  std::size_t bytes = 0;

  bool operator()(const request::create& one) {
    bytes += one.path.size() + one.data.size() + operation_overhead;
    for (const acl_entry& entry : one.acl) {
      bytes += entry.scheme.size() + entry.id.size() + operation_overhead;
    }
    return is_sequential(one.mode) ? valid_sequential_path(one.path) : valid_path(one.path);
  }
  bool operator()(const request::set& one) {
    bytes += one.path.size() + one.data.size() + operation_overhead;
    return valid_path(one.path);
  }
  bool operator()(const request::multi& all) {
    return !all.operations.empty() && std::ranges::all_of(all.operations, [this](const request::operation& one) {
      const auto* create = std::get_if<request::create>(&one);
      return (create == nullptr || create->mode != create_mode::container) && std::visit(*this, one);
    });
  }
  bool operator()(const auto& one) {
    bytes += one.path.size() + operation_overhead;
    return valid_path(one.path);
  }
};

}  // namespace

bool valid_path(std::string_view path) noexcept { return path == "/" || has_valid_parts(path); }

bool valid_sequential_path(std::string_view path) noexcept {
  if (path.empty() || path.front() != '/') {
    return false;
  }
  const auto last = path.rfind('/');
  const bool parent_is_valid = last == 0 || has_valid_parts(path.substr(0, last));
  return parent_is_valid && !has_control_character(path.substr(last));
}

code answer_instead_of_sending(const any_request& what) noexcept {
  checker check;
  if (!std::visit([&check](const auto& one) { return check(one); }, what)) {
    return code::bad_arguments;
  }
  return check.bytes <= request_bytes_max ? code::ok : code::too_large;
}

}  // namespace zklock::client
