#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "recipes/code.hpp"

namespace zklock::recipes {

/// What a leader's own node says, and is to say: set until a server has answered, of several the latest alone.
///
/// No version, and no guard: the node is the term's own and its name is never used again, so a write that is repeated can
/// change no other node; and "no node" says that the term is over.
///
/// | state     | means                                                   | goes on with                      |
/// |-----------|---------------------------------------------------------|-----------------------------------|
/// | resting   | all that was said is stored, or was refused             | under_way; waiting                |
/// | waiting   | to be sent: on the next connection, or after a pause    | under_way                         |
/// | under_way | a set is not answered                                   | resting; under_way (a later one); waiting |
/// | over      | the node is gone                                        |                                   |
class proclamation {
 public:
  enum class state : std::uint8_t { resting, waiting, under_way, over };

  [[nodiscard]] state now() const noexcept { return state_; }
  /// The latest set was not answered.
  [[nodiscard]] bool is_failing() const noexcept { return state_ == state::waiting && answered_ < sent_; }
  /// What the next set is to write.
  [[nodiscard]] const std::string& data() const noexcept { return latest_; }
  /// Each has a number, counted from 1; those up to this one are answered.
  [[nodiscard]] std::uint64_t answered_up_to() const noexcept { return answered_; }

  /// Its number. It is to be sent, unless one is under way.
  std::uint64_t say(std::string data) {
    latest_ = std::move(data);
    if (state_ == state::resting) {
      state_ = state::waiting;
    }
    return ++said_;
  }
  /// Whether a set is to be sent now.
  [[nodiscard]] bool send() noexcept {
    if (state_ != state::waiting) {
      return false;
    }
    state_ = state::under_way;
    sent_ = said_;
    return true;
  }
  /// The connection has gone, with what was under way on it.
  void disconnected() noexcept {
    if (state_ == state::under_way) {
      state_ = state::waiting;
    }
  }
  void answered(code what) noexcept {
    if (what == code::no_node) {
      answered_ = said_;
      state_ = state::over;
    } else if (what == code::ok || classify(what) == outcome::not_done) {
      answered_ = sent_;
      state_ = sent_ < said_ ? state::waiting : state::resting;
    } else {
      state_ = state::waiting;
    }
  }

 private:
  state state_ = state::resting;
  std::string latest_;
  std::uint64_t said_ = 0;
  std::uint64_t sent_ = 0;
  std::uint64_t answered_ = 0;
};

}  // namespace zklock::recipes
