#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "recipes/contender_event.hpp"
#include "recipes/queue_index.hpp"

namespace zklock::operations {

/// A list that serves many contenders, as each of them is shown it.
class shown_list {
 public:
  /// `keep`: it outlives the answer.
  shown_list(const recipes::event::listed& answer, bool keep) : listed_(answer) {
    listed_.children = keep ? copy_of(answer.children) : answer.children;
    if (answer.code == recipes::code::ok) {
      index_.emplace(listed_.children);
      listed_.index = &*index_;
    }
  }
  shown_list(const shown_list&) = delete;
  shown_list& operator=(const shown_list&) = delete;

  [[nodiscard]] const recipes::event::listed& event() const noexcept { return listed_; }

 private:
  recipes::names_view copy_of(recipes::names_view names) {
    std::size_t size = 0;
    for (const std::string_view one : names) {
      size += one.size() + 1;
    }
    text_.reserve(size);
    names_.reserve(names.size());
    for (const std::string_view one : names) {
      names_.push_back(text_.data() + text_.size());
      text_.append(one).push_back('\0');
    }
    return {names_.data(), names_.size()};
  }

  std::string text_;  ///< all names, each with a 0
  std::vector<const char*> names_;
  recipes::event::listed listed_;
  std::optional<recipes::queue_index> index_;
};

}  // namespace zklock::operations
