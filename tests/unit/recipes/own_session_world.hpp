#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/recipes/lock_node_server.hpp"
#include "tests/unit/recipes/one_session.hpp"
#include "tests/unit/recipes/queue_with_members.hpp"

/// Several contenders of one session, others, and a server that does what it is asked in the order of the requests.
namespace zklock::recipes::words {

class own_session_world {
 public:
  own_session_world(std::uint32_t seed, bool sides, bool faults) : random_(seed), sides_(sides), faults_(faults) {}

  /// Until each contender has ended. What has gone wrong, and before that all that was said; nothing: all is well.
  std::string run(int steps) {
    for (int step = 0; step < steps && wrong_.empty(); ++step) {
      play();
    }
    for (int step = 0; step < 2000 && wrong_.empty() && !all_ended(); ++step) {
      finish_up();
    }
    if (wrong_.empty() && !all_ended()) {
      wrong_ = "stuck: " + states();
    }
    return wrong_.empty() ? "" : story_ + wrong_;
  }
  [[nodiscard]] int passed_on() const { return passed_on_; }

 private:
  using node = lock_node_server::node;
  using request = lock_node_server::request;
  using message = lock_node_server::message;
  using on = lock_node_server::on;

  struct member {
    contender machine;
    bool left = false;
    bool look_due = false;
  };

  // ---- what happens

  bool chance(int of) { return std::uniform_int_distribution<int>(1, of)(random_) == 1; }
  std::size_t pick(std::size_t size) { return std::uniform_int_distribution<std::size_t>(0, size - 1)(random_); }

  void play() {
    switch (pick(12)) {
      case 0: begin(); break;
      case 1:
      case 2:
      case 3:
      case 4: serve(); break;
      case 5:
      case 6:
      case 7: deliver(); break;
      case 8: use(true); break;
      case 9: look(); break;
      case 10: strangers(); break;
      default: fail(); break;
    }
  }

  void finish_up() {
    serve();
    deliver();
    use(false);
    look();
    const std::vector<node> before = server_.nodes();
    for (const node& one : before) {
      if (!one.ours) {
        remove(one.name);
      }
    }
    for (std::size_t one = 0; one < members_.size(); ++one) {
      if (members_[one].machine.needs_connection() && requests_.empty() && server_.messages().empty()) {
        tell(one, "connected", event::connected{});
      }
    }
  }

  void begin() {
    if (members_.size() > 12) {
      return;
    }
    const acquire_spec wanted = !sides_ ? acquire_spec{} : chance(2) ? to_read : to_write;
    const std::uint64_t number = members_.size() + 1;
    members_.push_back({contender({number, number}, wanted, chance(8))});
    tell(members_.size() - 1, "connected", event::connected{});
  }

  void use(bool may_stop) {
    if (members_.empty()) {
      return;
    }
    const std::size_t one = pick(members_.size());
    const contender& machine = members_[one].machine;
    if (machine.is_granted()) {
      if (sides_ && machine.mode() == contender_mode::write && chance(3)) {
        tell(one, "downgrade", event::downgrade{});
      } else {
        tell(one, "release", event::release{});
      }
    } else if (may_stop && chance(10)) {
      tell(one, "stop", event::stop{refusal::abandoned});
    }
  }

  void look() {
    if (!members_.empty()) {
      const std::size_t one = pick(members_.size());
      if (std::exchange(members_[one].look_due, false)) {
        tell(one, "look_after_own", event::look_after_own{});
      }
    }
  }

  void strangers() {
    if (faults_ && chance(12)) {
      story_ += "-- the lock node is removed\n";
      server_.remove_lock_node();
    } else if (chance(2)) {
      const bool exclusive = !sides_ || chance(2);
      const std::string prefix = !sides_ ? "" : exclusive ? "write-" : "read-";
      server_.add(prefix + "aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbb-" + (sides_ ? "" : "lock-"), exclusive, false);
    } else if (!server_.nodes().empty()) {
      const node one = server_.nodes()[pick(server_.nodes().size())];
      if (!one.ours || (faults_ && chance(4))) {
        remove(one.name);
      }
    }
  }

  /// The connection is lost, with all that is unanswered; it comes back at once.
  void fail() {
    if (!faults_ || !chance(6)) {
      return;
    }
    for (std::size_t done = pick(requests_.size() + 1); done > 0; --done) {
      serve();
    }
    story_ += "-- loss\n";
    const std::deque<message> undelivered = std::exchange(server_.messages(), {});
    std::deque<request> unserved = std::exchange(requests_, {});
    const bool late = chance(3);
    all("disconnected", event::disconnected{});
    if (late) {
      all("connected", event::connected{});
    }
    std::deque<request> fresh = std::exchange(requests_, {});
    for (const message& one : undelivered) {
      if (one.is_answer) {
        server_.forget(one.watch);
        tell_answer({one.to, one.word.substr(0, one.word.find(':')) + ":loss"});
      }
    }
    for (const request& one : unserved) {
      if (const std::string word = lock_node_server::answer_to(one.what); !word.empty()) {
        tell_answer({one.from, word + ":loss"});
      }
    }
    requests_.insert(requests_.begin(), fresh.begin(), fresh.end());
    for (const message& one : undelivered) {
      if (!one.is_answer) {
        server_.messages().push_back(one);
      }
    }
    if (!late) {
      all("connected", event::connected{});
    }
  }

  void all(const std::string& word, const contender_event& what) {
    for (std::size_t one = 0; one < members_.size(); ++one) {
      tell(one, word, what);
    }
  }

  // ---- the server and the client

  void remove(const std::string& name) {
    story_ += "-- gone " + name + "\n";
    server_.remove(name);
  }

  void serve() {
    if (requests_.empty()) {
      return;
    }
    const request one = std::move(requests_.front());
    requests_.pop_front();
    const contender& machine = members_[one.from].machine;
    server_.serve(one, std::string(machine.prefix()), machine.wanted().kind != contender_kind::read);
  }

  void deliver() {
    if (server_.messages().empty()) {
      return;
    }
    const message one = std::move(server_.messages().front());
    server_.messages().pop_front();
    tell_answer(one);
  }

  void tell_answer(const message& one) {
    const std::string kind = one.word.substr(0, one.word.find(':'));
    const code with = std::get<event::removed>(event_of("removed:" + one.word.substr(one.word.find(':') + 1))).code;
    if (kind == "created") {
      tell(one.to, one.word, event::created{with, one.name, {1}});
    } else if (kind == "listed") {
      tell(one.to, one.word, event::listed{with, one.children});
    } else if (kind == "predecessor_watched") {
      const bool ours = std::any_of(server_.nodes().begin(), server_.nodes().end(),
                                    [&one](const node& other) { return other.name == one.name && other.ours; });
      const bool reads = server_.is_marked(one.name);
      tell(one.to, one.word,
           event::predecessor_watched{with, ours, reads ? contender_mode::read : contender_mode::write});
    } else {
      tell(one.to, one.word, event_of(one.word, members_[one.to].machine.wanted()));
    }
  }

  void tell(std::size_t one, const std::string& word, const contender_event& what) {
    resume(one, word, what);
    while (!inbox_.empty()) {
      const auto [other, its_word, next] = inbox_.front();
      inbox_.pop_front();
      resume(other, its_word, next);
    }
  }

  void resume(std::size_t one, const std::string& word, const contender_event& what) {
    member& its = members_[one];
    if (its.left) {
      return;
    }
    const action_list actions = its.machine.resume(what, queue_);
    story_ += std::to_string(one) + " " + word + ": " + word_of(actions) + "  " + std::string(its.machine.own()) + "\n";
    queue_.update(its.machine, one);
    for (const action asked : actions) {
      perform(one, its, asked);
    }
  }

  void perform(std::size_t one, member& its, action asked) {
    switch (asked) {
      case action::watch_own_later: its.look_due = true; break;
      case action::forget_own: server_.forget(one, on::own); break;
      case action::forget_predecessor: server_.forget(one, on::predecessor); break;
      case action::pass_on:
        ++passed_on_;
        if (const auto* const next = queue_.find(its.machine.successor())) {
          inbox_.push_back({next->number, "passed_on", event::passed_on{}});
        }
        break;
      case action::tell_of_mark:
        for (const auto& waiter : queue_.told_by(its.machine)) {
          inbox_.push_back({waiter.number, "predecessor_watched:marked",
                            event::predecessor_watched{code::ok, true, its.machine.mode()}});
        }
        break;
      case action::grant:
        its.look_due = true;
        check_grant(its.machine);
        break;
      case action::finish: leave(one, its); break;
      default:
        if (!lock_node_server::answer_to(asked).empty()) {
          requests_.push_back(
              {one, asked, std::string(its.machine.own()),
               std::string(asked == action::remove_own ? its.machine.successor() : its.machine.predecessor())});
        }
    }
  }

  void leave(std::size_t one, member& its) {
    for (const auto& waiter : queue_.told_by(its.machine)) {
      inbox_.push_back({waiter.number, "predecessor_left", event::predecessor_left{}});
    }
    queue_.remove(its.machine, one);
    its.left = true;
  }

  /// Where its node stands, what stands before it must let it pass.
  void check_grant(const contender& machine) {
    const auto own = std::find_if(server_.nodes().begin(), server_.nodes().end(),
                                  [&machine](const node& one) { return one.name == machine.own(); });
    for (const node& one : server_.nodes()) {
      const bool reads = !one.exclusive || server_.is_marked(one.name) || reads_here(one.name);
      if (own != server_.nodes().end() && one.number < own->number && (own->exclusive || !reads)) {
        wrong_ = std::string(machine.own()) + " is granted behind " + one.name;
      }
    }
  }

  bool reads_here(const std::string& name) const {
    const auto* const entry = queue_.find(name);
    return entry != nullptr && entry->machine->mode() == contender_mode::read;
  }

  bool all_ended() const {
    return std::all_of(members_.begin(), members_.end(), [](const member& one) { return one.left; }) && queue_.empty();
  }

  std::string states() const {
    std::string text = queue_.empty() ? "" : "the queue is not empty; ";
    for (std::size_t one = 0; one < members_.size(); ++one) {
      if (!members_[one].left) {
        text += std::to_string(one) + " in state " + std::to_string(static_cast<int>(members_[one].machine.life())) +
                " behind " + std::string(members_[one].machine.predecessor()) + "; ";
      }
    }
    return text;
  }

  struct told {
    std::size_t to;
    std::string word;
    contender_event what;
  };

  std::mt19937 random_;
  bool sides_;
  bool faults_;
  std::deque<member> members_;  ///< the queue points to them
  queue_with_members queue_;
  std::deque<told> inbox_;
  std::deque<request> requests_;
  lock_node_server server_;
  int passed_on_ = 0;
  std::string story_;
  std::string wrong_;
};

}  // namespace zklock::recipes::words
