#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace zklock::recipes {

/// The name of a contender's node, without directory, in place: no allocation.
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

/// The name of the own node, in place: its prefix from the start, and all of it while that is known. Then it is not empty.
class numbered_name {
 public:
  static constexpr std::size_t size_max =
      node_name::size_max - 2;  // 63 bytes with the two sizes: own_node has its watch in the 64th

  numbered_name() = default;
  numbered_name(std::string_view whole) { assign(whole); }
  numbered_name(const std::string& whole) { assign(whole); }
  [[nodiscard]] static numbered_name with_prefix(std::string_view prefix) {
    numbered_name one(prefix);
    one.prefix_size_ = std::exchange(one.size_, std::uint8_t{0});
    return one;
  }

  /// Of the same prefix, or another one that is as long.
  void assign(std::string_view whole) {
    if (whole.size() > size_max) {
      throw std::length_error("zklock: the name of a node is too long: " + std::string(whole));
    }
    std::copy(whole.begin(), whole.end(), text_.begin());
    size_ = static_cast<std::uint8_t>(whole.size());
  }
  /// It is not known any more.
  void clear() noexcept { size_ = 0; }

  operator std::string_view() const noexcept { return {text_.data(), size_}; }
  [[nodiscard]] std::string_view prefix() const noexcept { return {text_.data(), prefix_size_}; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  bool operator==(const numbered_name& other) const noexcept {
    return prefix() == other.prefix() && std::string_view(*this) == std::string_view(other);
  }
  template <std::convertible_to<std::string_view> Text>
  bool operator==(const Text& whole) const noexcept {
    return std::string_view(*this) == std::string_view(whole);
  }

 private:
  std::array<char, size_max> text_{};
  std::uint8_t size_ = 0;
  std::uint8_t prefix_size_ = 0;
};

/// A text of any length that takes one pointer while it is empty. Without null characters, as are names and paths of nodes, and
/// what our contenders say in theirs.
class heap_text {
 public:
  heap_text() = default;
  heap_text(std::string_view text) {
    if (!text.empty()) {
      text_ = std::make_unique<char[]>(text.size() + 1);
      std::copy(text.begin(), text.end(), text_.get());
    }
  }
  heap_text(const std::string& text) : heap_text(std::string_view(text)) {}
  heap_text(const heap_text& other) : heap_text(std::string_view(other)) {}
  heap_text(heap_text&&) noexcept = default;
  heap_text& operator=(const heap_text& other) { return *this = heap_text(other); }
  heap_text& operator=(heap_text&&) noexcept = default;
  ~heap_text() = default;

  operator std::string_view() const noexcept { return text_ == nullptr ? std::string_view() : text_.get(); }
  [[nodiscard]] bool empty() const noexcept { return text_ == nullptr; }
  void clear() noexcept { text_.reset(); }
  template <std::convertible_to<std::string_view> Text>
  bool operator==(const Text& other) const noexcept {
    return std::string_view(*this) == std::string_view(other);
  }

 private:
  std::unique_ptr<char[]> text_;
};

}  // namespace zklock::recipes
