#include "src/api/multi_lock_state.hpp"

#include <set>
#include <string_view>
#include <utility>

#include <zklock/error.hpp>

#include "recipes/places.hpp"

namespace zklock::detail {
namespace {

constexpr std::string_view making = "make a multi-lock of";

std::vector<multi_lock_state::part> checked(std::vector<multi_lock_state::part> parts) {
  if (parts.empty()) {
    throw error(errc::invalid_parts, making, "nothing");
  }
  std::set<std::string> paths;
  for (const auto& one : parts) {
    const std::string& path = one.state->path();
    if (one.state->its_session() != parts.front().state->its_session()) {
      throw error(errc::wrong_session, making, path);
    }
    if (!paths.insert(path).second) {
      throw error(errc::invalid_parts, making, path);
    }
    if (one.state->keeps()) {
      throw error(errc::invalid_option, making, path + ", which has lock_options::keep");
    }
  }
  for (const auto& one : parts) {  // a semaphore of Curator's waits for the mutex below its path: not for itself
    recipes::place_plan plan;
    plan.add(one.state->wanted(one.what).spec);
    for (const recipes::place& place : plan.places) {
      const std::string lock_node = one.state->path() + std::string(place.below);
      if (place.turn.passing && paths.contains(lock_node)) {
        throw error(errc::invalid_parts, making, lock_node);
      }
    }
  }
  return parts;
}

std::string paths_of(const std::vector<multi_lock_state::part>& parts) {
  std::string text;
  for (const auto& one : parts) {
    text.append(text.empty() ? "" : ", ").append(one.state->path());
  }
  return text;
}

std::shared_ptr<lock_owners> owners_of(const std::vector<multi_lock_state::part>& parts) {
  std::vector<lock_owners::part> owners;
  owners.reserve(parts.size());
  for (const auto& one : parts) {
    owners.push_back({one.state->owners(), one.what.of});
  }
  const auto meter = parts.empty() ? nullptr : parts.front().state->its_session()->meter_of({}, lock_class::multi);
  return std::make_shared<lock_owners>(std::move(owners), meter);
}

}  // namespace

multi_lock_state::multi_lock_state(std::vector<part> parts)
    : acquirable_state(parts.empty() ? nullptr : parts.front().state->its_session(), owners_of(parts)),
      parts_(checked(std::move(parts))),
      path_(paths_of(parts_)) {}

lock_parts multi_lock_state::parts_of(lock_mode) {
  lock_parts all;
  for (const part& one : parts_) {
    all.push_back({one.state.get(), one.what});
  }
  return all;
}

}  // namespace zklock::detail
