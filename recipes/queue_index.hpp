#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "recipes/contender_name.hpp"
#include "recipes/names_view.hpp"

namespace zklock::recipes {

/// A list of a lock node's children that serves many contenders: parsed and sorted once. What it says to one of them takes
/// O(log n). It refers to the names, which outlive it.
///
/// Invariant: the contenders of one recipe stand together, by number.
class queue_index {
 public:
  struct entry {
    sequence_number number;
    std::uint32_t place;           ///< in the list
    std::uint32_t writers_before;  ///< of this recipe
    std::uint32_t nearest_writer;  ///< the entry of the last one of them; `none`
    std::uint64_t permits_before;
    bool writes;
  };
  static constexpr std::uint32_t none = UINT32_MAX;

  /// The entries of one recipe, the first first.
  class row {
   public:
    [[nodiscard]] bool empty() const noexcept { return first == last; }
    [[nodiscard]] sequence_number least() const { return of->entries_[first].number; }
    [[nodiscard]] sequence_number greatest() const { return of->entries_[last - 1].number; }
    /// Another one in it has the same number.
    [[nodiscard]] bool is_tied(std::uint32_t at) const;

    const queue_index* of;
    std::uint32_t first;
    std::uint32_t last;
  };

  explicit queue_index(names_view children);

  [[nodiscard]] const entry& operator[](std::uint32_t at) const { return entries_[at]; }
  [[nodiscard]] std::string_view name(std::uint32_t at) const { return children_[entries_[at].place]; }
  /// `as`: its name, parsed. `none`: it is not in the list.
  [[nodiscard]] std::uint32_t find(std::string_view name, const parsed_name& as) const;
  /// Where in the list a name stands that begins so. `none`: nowhere. The first call sorts the names.
  [[nodiscard]] std::uint32_t place_of_prefix(std::string_view prefix) const;
  /// Of the recipe of that name.
  [[nodiscard]] row recipe_of(const parsed_name& one) const;
  /// Of all other recipes. Nothing: there is no contender of another one.
  [[nodiscard]] std::optional<sequence_number> least_of_others(const parsed_name& one) const;
  /// Of all. Nothing: there is no contender.
  [[nodiscard]] std::optional<sequence_number> greatest() const;

 private:
  static constexpr std::size_t recipes_max = 7;
  [[nodiscard]] static std::size_t number_of(const parsed_name& one) noexcept;
  [[nodiscard]] row recipe(std::size_t number) const { return {this, starts_[number], starts_[number + 1]}; }

  names_view children_;
  mutable std::vector<std::uint32_t> by_name_;  ///< places; empty until they are asked for
  std::vector<entry> entries_;
  std::array<std::uint32_t, recipes_max + 1> starts_{};  ///< where the entries of each recipe begin
};

}  // namespace zklock::recipes
