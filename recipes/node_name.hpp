#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>

namespace zklock::recipes {

/// The name of a contender's node, without directory, in place: no allocation. Empty: not known.
class node_name {
 public:
  /// No name that a contender of ours asks for is longer: those of a permit and of Curator's writer come to 59 characters.
  static constexpr std::size_t size_max = 63;

  node_name() = default;
  node_name(std::string_view text) : node_name({text}) {}
  node_name(const std::string& text) : node_name({std::string_view(text)}) {}
  /// One name of several texts. Throws std::length_error if it is too long.
  node_name(std::initializer_list<std::string_view> parts) {
    for (const std::string_view one : parts) {
      if (one.size() > size_max - size_) {
        throw std::length_error("zklock: the name of a node is too long: " + std::string(one));
      }
      std::copy(one.begin(), one.end(), text_.begin() + size_);
      size_ = static_cast<std::uint8_t>(size_ + one.size());
    }
  }

  operator std::string_view() const noexcept { return {text_.data(), size_}; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  void clear() noexcept { size_ = 0; }
  template <std::convertible_to<std::string_view> Text>
  bool operator==(const Text& other) const noexcept {
    return std::string_view(text_.data(), size_) == std::string_view(other);
  }

 private:
  std::array<char, size_max> text_{};
  std::uint8_t size_ = 0;
};

}  // namespace zklock::recipes
