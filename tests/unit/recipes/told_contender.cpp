#include "tests/unit/recipes/told_contender.hpp"

namespace zklock::recipes::words {

std::string_view state_of(const contender& one) {
  using life = node_life::state;
  switch (one.life()) {
    case life::idle: return "idle";
    case life::entering: return "entering";
    case life::unsettled: return "unsettled";
    case life::searching: return "searching";
    case life::settling: return "settling";
    case life::entered:
    case life::missing: break;
    case life::held: return "granted";
    case life::removing: return "removing";
    case life::unremoved: return "unremoved";
    case life::finished: return "finished";
  }
  switch (one.round()) {
    case queue_round::state::idle: break;
    case queue_round::state::asked: return "listing";
    case queue_round::state::asked_with_watches: return "watching";
    case queue_round::state::interrupted: return "interrupted";
  }
  switch (one.turn()) {
    case turn_state::resting: break;
    case turn_state::storing: return "storing";
    case turn_state::watching: return "watching";
    case turn_state::waiting: return "waiting";
  }
  return "resting";
}

namespace {

constexpr std::uint64_t own_number = 2;
constexpr std::uint64_t before_number = 1;
constexpr std::uint64_t behind_number = 3;

/// Of a contender beside this one, that excludes others.
acquire_spec exclusive_beside(const acquire_spec& wanted) {
  return {wanted.kind == contender_kind::mutex ? contender_kind::mutex : contender_kind::write};
}

contender beside(const acquire_spec& wanted, std::uint64_t id) {
  return contender({id, id}, exclusive_beside(wanted), false);
}

}  // namespace

told_contender::told_contender(const acquire_spec& wanted, bool one_try, bool created_in_transaction, company has,
                               const limit_node& known)
    : has_(has),
      session_(new session{contender(own_id, wanted, one_try, created_in_transaction, known),
                           beside(wanted, before_number),
                           beside(wanted, behind_number),
                           {}}) {
  if (has_ == company::in_a_row) {
    begin_before();
  } else if (has_ == company::alone_before || has_ == company::alone_before_watched) {
    end_alone();
  }
}

void told_contender::begin_before() {
  contender& before = session_->before;
  const std::vector<std::string> alone{before_name_of(machine().wanted())};
  static_cast<void>(before.resume(event::connected{}, session_->queue));
  static_cast<void>(before.resume(event::created{code::ok, alone.front(), created_token}, session_->queue));
  static_cast<void>(before.resume(event::listed{code::ok, alone, 0, 0, nullptr, before_alone_in}, session_->queue));
  session_->queue.update(before, before_number);
}

void told_contender::end_alone() {
  begin_before();
  contender& before = session_->before;
  static_cast<void>(before.resume(event::release{}, session_->queue));
  static_cast<void>(before.resume(event::removed{code::ok}, session_->queue));
  session_->queue.remove(before, before_number);
  session_->queue.watch_lock_node(has_ == company::alone_before_watched ? before_alone_in : 0);
}

void told_contender::begin_behind() {
  contender& behind = session_->behind;
  const std::string name = std::string(behind.prefix()) + "0000000006";
  static_cast<void>(behind.resume(event::connected{}, session_->queue));
  static_cast<void>(behind.resume(event::created{code::ok, name, created_token}, session_->queue));
  session_->queue.update(behind, behind_number);
}

std::string told_contender::tell(std::string_view several) {
  std::string last = "nothing";
  for (const std::string& word : split(several)) {
    last = word_of(session_->machine.resume(event_of(word, machine().wanted()), session_->queue));
    if (has_ == company::none) {
      continue;
    }
    session_->queue.update(machine(), own_number);
    if (has_ == company::followed && machine().has_node() && session_->behind.life() == node_life::state::idle) {
      begin_behind();
    }
  }
  return last;
}

}  // namespace zklock::recipes::words
