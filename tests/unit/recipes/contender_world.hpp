#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "recipes/contender.hpp"
#include "tests/unit/recipes/contender_words.hpp"
#include "tests/unit/recipes/queue_with_members.hpp"

/// A mutex's contender, from its first request to its end, of which one request fails.
namespace zklock::recipes::words {

/// What happens to the one request that fails.
struct failure {
  std::size_t step = 0;  ///< the request that fails, counted from 0
  code with = code::ok;
  bool applied = false;  ///< of an unknown outcome: the server has done it
  bool cut = false;      ///< the connection goes with it, and what was sent behind it
};

struct scenario {
  std::string name;
  std::vector<std::string> before = {};  ///< contenders that stand there first, the next to go last
  bool lock_node_there = true;
  bool one_try = false;
  std::optional<std::size_t> stop_at = {};  ///< the caller stops before this request is answered
  bool stop_when_waiting = false;
  bool waits_long = false;     ///< from T/12 on: the own node is to be watched then, if it has asked for that
  bool followed = false;       ///< a contender of its session stands right behind it, and waits for it
  bool follower_gone = false;  ///< its node is removed before the lock is released
};

/// One contender, a lock node, and requests that are answered in their order. Predecessors go as soon as it waits.
class contender_world {
 public:
  contender_world(const scenario& plays, std::optional<failure> fails)
      : plays_(plays),
        fails_(fails),
        lock_node_(plays.lock_node_there),
        children_(plays.before),
        machine_(own_id, {}, plays.one_try) {}

  void run() {
    tell(event::connected{});
    for (int turn = 0; turn < 200 && machine_.life() != node_life::state::finished; ++turn) {
      if (!requests_.empty()) {
        answer_next();
      } else if (machine_.needs_connection()) {
        tell(event::connected{});
      } else if (machine_.is_waiting() && plays_.stop_when_waiting && !stopped_) {
        stop();
      } else if (machine_.is_waiting() && plays_.waits_long && look_is_due_) {
        look_is_due_ = false;
        tell(event::look_after_own{});
      } else if (machine_.is_waiting()) {
        predecessor_goes();
      } else if (machine_.is_granted()) {
        hold();
      }
    }
  }

  [[nodiscard]] std::size_t steps() const { return steps_; }
  [[nodiscard]] const contender& machine() const { return machine_; }
  [[nodiscard]] std::size_t count(action what) const {
    return static_cast<std::size_t>(std::count(log_.begin(), log_.end(), what));
  }
  [[nodiscard]] const std::vector<action>& log() const { return log_; }
  [[nodiscard]] std::size_t own_nodes() const {
    return static_cast<std::size_t>(std::count_if(
        children_.begin(), children_.end(), [](const std::string& child) { return child.starts_with(own_id.text()); }));
  }
  [[nodiscard]] std::size_t most_own_nodes() const { return most_own_nodes_; }
  [[nodiscard]] bool watches() const { return own_watch_ || predecessor_watch_; }
  [[nodiscard]] bool session_over() const { return session_over_; }
  /// The servers have answered that both nodes stood when its own was removed.
  [[nodiscard]] bool removed_before_follower() const { return removed_before_follower_; }
  [[nodiscard]] std::optional<action> failed_request() const { return failed_request_; }
  [[nodiscard]] std::string story() const {
    std::string text = plays_.name + ":";
    for (const action one : log_) {
      text += " " + std::string(word_of(one));
    }
    return text;
  }

 private:
  void tell(const contender_event& what) {
    const action_list actions = machine_.resume(what, session_);
    session_.update(machine_, 1);
    if (plays_.followed && machine_.has_node() && follower_.life() == node_life::state::idle) {
      begin_follower();
    }
    for (const action one : actions) {
      log_.push_back(one);
      switch (one) {
        case action::watch_own_later: look_is_due_ = true; break;
        case action::forget_predecessor: predecessor_watch_ = false; break;
        case action::forget_own: own_watch_ = false; break;
        case action::grant:
        case action::refuse:
        case action::lose:
        case action::start_over:
        case action::pass_on:
        case action::finish: break;
        default: requests_.push_back({one, predecessor_name(one)}); break;
      }
    }
  }

  std::string predecessor_name(action one) const {
    return std::string(one == action::watch_predecessor ? machine_.predecessor() : "");
  }

  void begin_follower() {
    static_cast<void>(follower_.resume(event::connected{}, session_));
    children_.push_back(std::string(follower_.prefix()) + next_number());
    static_cast<void>(follower_.resume(event::created{code::ok, children_.back(), created_token}, session_));
    session_.update(follower_, 2);
  }

  void hold() {
    if (!std::exchange(looked_after_, true)) {
      tell(event::look_after_own{});
      return;
    }
    if (plays_.follower_gone) {
      std::erase(children_, follower_.own());
    }
    tell(event::release{});
  }

  [[nodiscard]] bool stands(std::string_view name) const {
    return std::find(children_.begin(), children_.end(), name) != children_.end();
  }

  void stop() {
    if (machine_.is_granted()) {
      return;  // the caller has its grant, and gives that back instead
    }
    stopped_ = true;
    tell(event::stop{refusal::not_in_time});
  }

  void predecessor_goes() {
    const std::string leaves(children_.front() == machine_.own() ? "" : machine_.predecessor());
    std::erase(children_, leaves);
    ASSERT_TRUE(predecessor_watch_) << "waits without a watch: " << story();
    predecessor_watch_ = false;
    tell(event::predecessor_gone{});
  }

  void answer_next() {
    const auto [what, predecessor] = requests_.front();
    requests_.pop_front();
    const std::size_t step = steps_++;
    if (plays_.stop_at == step) {
      stop();
    }
    if (fails_ && fails_->step == step) {
      failed_request_ = what;
      fail(what, predecessor);
    } else {
      tell_answer(what, code::ok, predecessor, true);
    }
    most_own_nodes_ = std::max(most_own_nodes_, own_nodes());
  }

  void fail(action what, const std::string& predecessor) {
    const outcome meaning = classify(fails_->with);
    if (meaning == outcome::session_over) {  // told before the replies, which are then not delivered
      session_over_ = true;
      requests_.clear();
      own_watch_ = predecessor_watch_ = false;
      std::erase_if(children_, [](const std::string& child) { return child.starts_with(own_id.text()); });
      tell(event::session_over{});
      return;
    }
    if (fails_->with == code::no_node) {
      make_it_true(what, predecessor);
    }
    if (fails_->cut) {
      tell(event::disconnected{});
    }
    tell_answer(what, fails_->with, predecessor, meaning == outcome::unknown && fails_->applied);
    while (fails_->cut && !requests_.empty()) {
      const auto [next, its_predecessor] = requests_.front();
      requests_.pop_front();
      tell_answer(next, fails_->with, its_predecessor, false);
    }
  }

  /// "No node" is a statement about the world: it has been removed just before.
  void make_it_true(action what, const std::string& predecessor) {
    switch (what) {
      case action::watch_predecessor: std::erase(children_, predecessor); break;
      case action::watch_own:
      case action::remove_own: std::erase(children_, machine_.own()); break;
      case action::create_own:
      case action::list:
      case action::share_list:
        lock_node_ = false;
        children_.clear();
        break;
      default: break;
    }
  }

  /// Applies the request, and answers it with `with`; an "ok" becomes what the server finds.
  void tell_answer(action what, code with, const std::string& predecessor, bool apply) {
    switch (what) {
      case action::make_lock_node:
        lock_node_ = lock_node_ || apply;
        tell(event::lock_node_made{with});
        break;
      case action::create_own: tell(event::created{create(apply, with), created_name_, created_token}); break;
      case action::sync: tell(event::synced{with}); break;
      case action::list:
      case action::share_list: list(with); break;
      case action::watch_own: {
        const bool there = own_nodes() > 0;
        const code answer = with == code::ok && !there ? code::no_node : with;
        own_watch_ = own_watch_ || answer == code::ok;
        tell(event::own_watched{answer, found_token, true});
        break;
      }
      case action::watch_predecessor: {
        const bool there = stands(predecessor);
        const code answer = with == code::ok && !there ? code::no_node : with;
        predecessor_watch_ = predecessor_watch_ || answer == code::ok;
        tell(event::predecessor_watched{answer});
        break;
      }
      case action::remove_own: remove(with, apply); break;
      default: FAIL() << "no request: " << word_of(what);
    }
  }

  /// In one transaction with a check of the successor, if there is one.
  void remove(code with, bool apply) {
    const bool there = own_nodes() > 0;
    const bool checked = !machine_.successor().empty();
    const bool refused = there && checked && !stands(machine_.successor());
    if (apply && !refused) {
      std::erase(children_, machine_.own());
    }
    if (with != code::ok) {
      tell(event::removed{with});
    } else if (refused) {
      tell(event::removed{code::no_node, true});
    } else {
      removed_before_follower_ = there && checked;
      tell(event::removed{there ? code::ok : code::no_node});
    }
  }

  std::string next_number() { return "000000000" + std::to_string(5 + created_++); }

  code create(bool apply, code with) {
    created_name_.clear();
    if (with == code::ok && !lock_node_) {
      return code::no_node;
    }
    if (apply && lock_node_) {
      created_name_ = std::string(machine_.prefix()) + next_number();
      children_.push_back(created_name_);
    }
    return with;
  }

  void list(code with) {
    if (with == code::ok && !lock_node_) {
      with = code::no_node;
    }
    const std::vector<std::string> seen = with == code::ok ? children_ : std::vector<std::string>();
    tell(event::listed{with, seen});
  }

  struct request {
    action what;
    std::string predecessor;
  };
  const scenario& plays_;
  const std::optional<failure> fails_;
  bool lock_node_;
  std::vector<std::string> children_;
  contender machine_;
  contender follower_{{1, 1}, {}, false};
  queue_with_members session_;
  std::deque<request> requests_;
  std::vector<action> log_;
  std::string created_name_;
  int created_ = 0;
  std::size_t steps_ = 0;
  std::size_t most_own_nodes_ = 0;
  std::optional<action> failed_request_;
  bool own_watch_ = false;
  bool predecessor_watch_ = false;
  bool looked_after_ = false;
  bool look_is_due_ = false;
  bool removed_before_follower_ = false;
  bool stopped_ = false;
  bool session_over_ = false;
};

}  // namespace zklock::recipes::words
