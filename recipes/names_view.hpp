#pragma once

#include <cstddef>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zklock::recipes {

/// Names that are elsewhere, as strings or as the C client has them: nothing is copied, and nothing allocated.
class names_view {
 public:
  class iterator;
  using const_iterator = iterator;
  using value_type = std::string_view;

  names_view() = default;
  names_view(std::span<const std::string> strings) noexcept : strings_(strings.data()), size_(strings.size()) {}
  names_view(const std::vector<std::string>& strings) noexcept : names_view(std::span(strings)) {}
  /// Each ends with a 0.
  names_view(const char* const* texts, std::size_t size) noexcept : texts_(texts), size_(size) {}

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::string_view operator[](std::size_t place) const noexcept {
    return texts_ != nullptr ? std::string_view(texts_[place]) : strings_[place];
  }
  [[nodiscard]] iterator begin() const noexcept;
  [[nodiscard]] iterator end() const noexcept;

 private:
  const std::string* strings_ = nullptr;
  const char* const* texts_ = nullptr;
  std::size_t size_ = 0;
};

class names_view::iterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = std::string_view;
  using difference_type = std::ptrdiff_t;
  using pointer = const std::string_view*;
  using reference = std::string_view;

  iterator() = default;
  iterator(const names_view& of, std::size_t place) noexcept : of_(of), place_(place) {}
  std::string_view operator*() const noexcept { return of_[place_]; }
  iterator& operator++() noexcept { return ++place_, *this; }
  iterator operator++(int) noexcept { return {of_, place_++}; }
  bool operator==(const iterator& other) const noexcept { return place_ == other.place_; }

 private:
  names_view of_;
  std::size_t place_ = 0;
};

inline names_view::iterator names_view::begin() const noexcept { return {*this, 0}; }
inline names_view::iterator names_view::end() const noexcept { return {*this, size_}; }

}  // namespace zklock::recipes
