#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "recipes/contender_name.hpp"
#include "src/testing/ensemble_model.hpp"

namespace zklock::sim {

/// A contender's node, as the leader has it: read from its name and data, not told by a client.
struct contender_node {
  std::size_t lock = 0;
  recipes::contender_kind kind = recipes::contender_kind::mutex;
  std::uint32_t permits = 0;
  bool reads = false;  ///< a writer's that was downgraded, by its data
  std::int64_t czxid = 0;
  std::int64_t place = 0;  ///< in its queue: its czxid; of a writer that goes on as another node, the writer's
  std::string id{};
  int client = -1;            ///< the client whose session made it; -1: none
  int user = -1;              ///< the user that wants it, by its label
  std::uint64_t attempt = 0;  ///< and for which attempt
  std::size_t parts = 1;      ///< of that attempt; 0: they are taken in turn
};
using contender_nodes = std::map<std::string, contender_node, std::less<>>;  ///< by path

[[nodiscard]] contender_node contender_node_of(std::size_t lock, const testing::ensemble::child& child);
/// The part of a contender's name that is its own alone: 32 hex digits, without the dashes of Curator's names.
[[nodiscard]] std::string id_in(std::string_view name);
/// The same as it stands there, with the dashes. Empty: the name is too short to have one.
[[nodiscard]] std::string_view id_text_in(std::string_view name) noexcept;
/// Curator's: the one that goes on as this reader, if that is what it is (it has the same number); otherwise null.
[[nodiscard]] const contender_node* writer_of(const contender_nodes& before, const std::string& path);
/// What an attempt's contenders are labelled with, so that they can be told apart.
[[nodiscard]] std::string label_of(int user, std::uint64_t attempt, std::size_t parts);

/// Whether `later`, on the same lock, has to wait for `earlier` to go, or to be downgraded. For permits: whether it
/// counts.
[[nodiscard]] bool has_to_go_first(const contender_node& earlier, const contender_node& later) noexcept;
/// Permits of all contenders that came before it, and its own.
[[nodiscard]] std::uint64_t permits_up_to(const contender_nodes& all, const contender_node& one);
/// Whether nothing keeps it from being granted.
[[nodiscard]] bool may_pass(const contender_nodes& all, const contender_node& one, std::uint32_t limit);
/// How many contenders may have to be woken when `gone` goes: those that had it as nearest conflicting predecessor,
/// downgraded or not.
[[nodiscard]] int waiters_behind(const contender_nodes& others, const contender_node& gone);

}  // namespace zklock::sim
