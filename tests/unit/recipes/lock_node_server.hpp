#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/recipes/one_session.hpp"

/// A lock node, as far as the contenders of one session and others see it: it does what it is asked in the order of the
/// requests.
namespace zklock::recipes::words {

class lock_node_server {
 public:
  struct node {
    std::string name;
    int number;
    bool exclusive;
    bool ours;
  };
  struct request {
    std::size_t from;
    action what;
    std::string own;
    std::string other;
  };
  enum class on : std::uint8_t { own, predecessor };
  struct watched {
    std::size_t place;
    on what;
    std::string node;
    auto operator<=>(const watched&) const = default;
  };
  struct message {
    std::size_t to;
    std::string word;
    std::string name{};
    std::vector<std::string> children{};
    bool is_answer = true;
    watched watch{};  ///< that it says stands, or has fired
  };

  [[nodiscard]] const std::vector<node>& nodes() const { return nodes_; }
  [[nodiscard]] bool is_marked(const std::string& name) const { return marked_.contains(name); }
  /// Events and answers, in their order.
  [[nodiscard]] std::deque<message>& messages() { return messages_; }

  std::string add(const std::string& prefix, bool exclusive, bool ours) {
    there_ = true;
    const int number = next_number_++;
    nodes_.push_back({one_session::name_with(prefix, number), number, exclusive, ours});
    return nodes_.back().name;
  }

  bool stands(const std::string& name) const {
    return std::any_of(nodes_.begin(), nodes_.end(), [&name](const node& one) { return one.name == name; });
  }

  void remove(const std::string& name) {
    std::erase_if(nodes_, [&name](const node& one) { return one.name == name; });
    fire(name, "gone");
  }

  /// The lock node, with all below it. Made anew, it counts from 0.
  void remove_lock_node() {
    while (!nodes_.empty()) {
      remove(std::string(nodes_.front().name));
    }
    there_ = false;
    next_number_ = 0;
  }

  static std::string answer_to(action what) {
    switch (what) {
      case action::make_lock_node: return "lock_node_made";
      case action::create_own: return "created";
      case action::sync: return "synced";
      case action::list:
      case action::share_list: return "listed";
      case action::watch_own: return "own_watched";
      case action::watch_predecessor: return "predecessor_watched";
      case action::mark_own: return "marked";
      case action::remove_own: return "removed";
      default: return "";
    }
  }

  /// Does it, and says what it answers. `prefix`, `exclusive`: of the node that is created.
  void serve(const request& one, const std::string& prefix, bool exclusive) {
    message answer{one.from, answer_to(one.what) + ":ok"};
    there_ = there_ || one.what == action::make_lock_node;
    if (!there_ && (one.what == action::create_own || one.what == action::list || one.what == action::share_list)) {
      answer.word = answer_to(one.what) + ":no_node";
      messages_.push_back(std::move(answer));
      return;
    }
    switch (one.what) {
      case action::create_own: answer.name = add(prefix, exclusive, true); break;
      case action::list:
      case action::share_list:
        for (const node& other : nodes_) {
          answer.children.push_back(other.name);
        }
        break;
      case action::watch_own: get({one.from, on::own, one.own}, answer); break;
      case action::watch_predecessor: get({one.from, on::predecessor, one.other}, answer); break;
      case action::mark_own:
        if (stands(one.own)) {
          marked_.insert(one.own);
          fire(one.own, "changed");
        } else {
          answer.word = "marked:no_node";
        }
        break;
      case action::remove_own:
        if (!stands(one.own)) {
          answer.word = "removed:no_node";
        } else if (!one.other.empty() && !stands(one.other)) {
          answer.word = "removed:no_successor";
        } else {
          remove(one.own);
        }
        break;
      default: break;
    }
    messages_.push_back(std::move(answer));
  }

  void forget(std::size_t place, on what) {
    std::erase_if(watches_, [&](const watched& one) { return one.place == place && one.what == what; });
    std::erase_if(messages_, [&](const message& one) {
      return !one.is_answer && one.watch.place == place && one.watch.what == what;
    });
  }
  /// The answer that tells of it has not come.
  void forget(const watched& one) { watches_.erase(one); }

 private:
  void fire(const std::string& name, const std::string& what) {
    for (auto one = watches_.begin(); one != watches_.end();) {
      if (one->node == name) {
        messages_.push_back({one->place, (one->what == on::own ? "own_" : "predecessor_") + what, {}, {}, false, *one});
        one = watches_.erase(one);
      } else {
        ++one;
      }
    }
  }

  void get(const watched& what, message& answer) {
    if (!stands(what.node)) {
      answer.word = answer.word.substr(0, answer.word.find(':')) + ":no_node";
      return;
    }
    answer.name = what.node;
    answer.watch = what;
    watches_.insert(what);
  }

  std::vector<node> nodes_;
  std::set<watched> watches_;
  std::set<std::string> marked_;
  std::deque<message> messages_;
  int next_number_ = 1;
  bool there_ = true;
};

}  // namespace zklock::recipes::words
