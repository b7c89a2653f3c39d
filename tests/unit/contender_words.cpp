#include "tests/unit/contender_words.hpp"

#include <array>
#include <map>
#include <sstream>
#include <stdexcept>

namespace zklock::recipes::words {
namespace {

using children = std::vector<std::string>;

const children& children_of(std::string_view word) {
  static const std::map<std::string_view, children> lists{
      {"first", {own_name, "0123456789abcdeffedcba9876543211-lock-0000000006", "a stray child"}},
      {"behind_one", {own_name, nearest_name}},
      {"behind_two", {nearest_name, own_name, farther_name}},
      {"absent", {nearest_name}},
      {"tied", {own_name, "aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbb-lock-0000000005"}},
      {"foreign", {own_name, "write-aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbb-0000000002"}},
  };
  static const children none;
  const auto found = lists.find(word);
  return found == lists.end() ? none : found->second;
}

code code_of(std::string_view word) {
  static const std::map<std::string_view, code> codes{
      {"ok", code::ok},           {"loss", code::connection_loss}, {"no_node", code::no_node},
      {"no_auth", code::no_auth}, {"exists", code::node_exists},   {"throttled", code::throttled}};
  const auto found = codes.find(word);
  return found == codes.end() ? code::ok : found->second;
}

using maker = contender_event (*)(std::string_view);

const std::map<std::string_view, maker>& makers() {
  static const std::map<std::string_view, maker> table{
      {"connected", [](std::string_view) -> contender_event { return event::connected{}; }},
      {"disconnected", [](std::string_view) -> contender_event { return event::disconnected{}; }},
      {"session_over", [](std::string_view) -> contender_event { return event::session_over{}; }},
      {"lock_node_made",
       [](std::string_view how) -> contender_event {
         return event::lock_node_made{how == "no_root" ? code::no_node : code_of(how), how == "no_root"};
       }},
      {"created",
       [](std::string_view how) -> contender_event {
         const std::string_view whole = own_name;
         const std::string_view name = how == "cut" ? whole.substr(0, 40) : how == "ok" ? whole : std::string_view();
         return event::created{code_of(how), name, created_token};
       }},
      {"synced", [](std::string_view how) -> contender_event { return event::synced{code_of(how)}; }},
      {"listed",
       [](std::string_view how) -> contender_event {
         return event::listed{code_of(how), children_of(how)};
       }},
      {"own_watched",
       [](std::string_view how) -> contender_event {
         return event::own_watched{code_of(how), found_token, how != "foreign"};
       }},
      {"predecessor_watched",
       [](std::string_view how) -> contender_event { return event::predecessor_watched{code_of(how)}; }},
      {"removed", [](std::string_view how) -> contender_event { return event::removed{code_of(how)}; }},
      {"own_gone", [](std::string_view) -> contender_event { return event::own_gone{}; }},
      {"own_changed", [](std::string_view) -> contender_event { return event::own_changed{}; }},
      {"predecessor_gone", [](std::string_view) -> contender_event { return event::predecessor_gone{}; }},
      {"predecessor_changed", [](std::string_view) -> contender_event { return event::predecessor_changed{}; }},
      {"stop", [](std::string_view) -> contender_event { return event::stop{refusal::abandoned}; }},
      {"release", [](std::string_view) -> contender_event { return event::release{}; }},
      {"look_after_own", [](std::string_view) -> contender_event { return event::look_after_own{}; }},
  };
  return table;
}

}  // namespace

std::span<const std::string_view> all_events() {
  static constexpr std::array<std::string_view, 46> words{"connected",
                                                          "disconnected",
                                                          "session_over",
                                                          "lock_node_made:ok",
                                                          "lock_node_made:no_auth",
                                                          "lock_node_made:loss",
                                                          "created:ok",
                                                          "created:cut",
                                                          "created:loss",
                                                          "created:throttled",
                                                          "created:no_node",
                                                          "created:exists",
                                                          "created:no_auth",
                                                          "synced:ok",
                                                          "synced:loss",
                                                          "synced:no_auth",
                                                          "listed:first",
                                                          "listed:behind_one",
                                                          "listed:behind_two",
                                                          "listed:absent",
                                                          "listed:tied",
                                                          "listed:foreign",
                                                          "listed:loss",
                                                          "listed:no_node",
                                                          "listed:no_auth",
                                                          "own_watched:ok",
                                                          "own_watched:foreign",
                                                          "own_watched:loss",
                                                          "own_watched:no_node",
                                                          "own_watched:no_auth",
                                                          "predecessor_watched:ok",
                                                          "predecessor_watched:loss",
                                                          "predecessor_watched:no_node",
                                                          "predecessor_watched:no_auth",
                                                          "removed:ok",
                                                          "removed:loss",
                                                          "removed:throttled",
                                                          "removed:no_node",
                                                          "removed:no_auth",
                                                          "own_gone",
                                                          "own_changed",
                                                          "predecessor_gone",
                                                          "predecessor_changed",
                                                          "stop",
                                                          "release",
                                                          "look_after_own"};
  return words;
}

contender_event event_of(std::string_view word) {
  const std::size_t colon = word.find(':');
  const auto found = makers().find(word.substr(0, colon));
  if (found == makers().end()) {
    throw std::invalid_argument("no such event: " + std::string(word));
  }
  return found->second(colon == std::string_view::npos ? std::string_view() : word.substr(colon + 1));
}

std::string_view word_of(contender::state state) {
  using enum contender::state;
  switch (state) {
    case idle: return "idle";
    case entering: return "entering";
    case unsettled: return "unsettled";
    case searching: return "searching";
    case settling: return "settling";
    case listing: return "listing";
    case storing: return "storing";
    case interrupted: return "interrupted";
    case watching: return "watching";
    case waiting: return "waiting";
    case granted: return "granted";
    case removing: return "removing";
    case unremoved: return "unremoved";
    case finished: return "finished";
  }
  return "?";
}

std::string_view word_of(action what) {
  switch (what) {
    case action::make_lock_node: return "make_lock_node";
    case action::create_own: return "create_own";
    case action::sync: return "sync";
    case action::list: return "list";
    case action::watch_own: return "watch_own";
    case action::watch_predecessor: return "watch_predecessor";
    case action::read_limit: return "read_limit";
    case action::store_limit: return "store_limit";
    case action::watch_limit: return "watch_limit";
    case action::watch_children: return "watch_children";
    case action::mark_own: return "mark_own";
    case action::forget_limit: return "forget_limit";
    case action::forget_children: return "forget_children";
    case action::forget_predecessor: return "forget_predecessor";
    case action::forget_own: return "forget_own";
    case action::remove_own: return "remove_own";
    case action::grant: return "grant";
    case action::refuse: return "refuse";
    case action::lose: return "lose";
    case action::start_over: return "start_over";
    case action::finish: return "finish";
  }
  return "?";
}

std::string word_of(const action_list& actions) {
  std::string text;
  for (const action one : actions) {
    text += (text.empty() ? "" : " ") + std::string(word_of(one));
  }
  return text.empty() ? "nothing" : text;
}

std::vector<std::string> split(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) {
    words.push_back(word);
  }
  return words;
}

std::string told_contender::tell(std::string_view several) {
  std::string last = "nothing";
  for (const std::string& word : split(several)) {
    last = word_of(machine_.resume(event_of(word)));
  }
  return last;
}

}  // namespace zklock::recipes::words
