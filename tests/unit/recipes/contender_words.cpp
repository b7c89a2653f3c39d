#include "tests/unit/recipes/contender_words.hpp"

#include <map>
#include <sstream>
#include <stdexcept>

namespace zklock::recipes::words {
namespace {

using children = std::vector<std::string>;
using lists = std::map<std::string_view, children>;

const std::string stray = "a stray child";
const std::string earlier_read = "read-aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbb-0000000003";
const std::string earlier_write = "write-aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbb-0000000003";
const std::string first_write = "write-ccccccccccccccccdddddddddddddddd-0000000001";
const std::string later_write = "write-eeeeeeeeeeeeeeeeffffffffffffffff-0000000006";
const std::string later_mutex = "0123456789abcdeffedcba9876543211-lock-0000000006";

/// The same for what has Curator's names. A lease is counted, whichever client has it: its limit is 4.
const lists& curator_lists_of(contender_kind kind) {
  static const std::string pair_read = "_c_6a0f5f1c-5d1c-4d5b-9a55-0c8a4c1f7b11-__READ__0000000003";
  static const std::string pair_write = "_c_7b1a6a2d-6e2d-4e6c-8b66-1d9b5d2a8c22-__WRIT__0000000003";
  static const std::string first = "_c_8c2b7b3e-7f3e-4f7d-9c77-2eac6e3b9d33-__WRIT__0000000001";
  static const std::string later = "_c_9d3c8c4f-8a4f-4a8e-ad88-3fbd7f4cae44-__WRIT__0000000006";
  static const std::string tied = "_c_ae4d9d5a-9b5a-4b9f-be99-4ace8a5dbf55-__WRIT__0000000005";
  static const std::string reader = own_name_of({contender_kind::read, 1, 0, false, layout::curator});
  static const lists read{
      {"first", {reader, later, pair_read, stray}},
      {"behind_one", {pair_read, reader, pair_write}},
      {"behind_two", {pair_write, reader, first}},
      {"absent", {pair_write}},
      {"tied", {reader, tied}},
      {"foreign", {reader, earlier_write}},
  };
  static const std::string writer = own_name_of({contender_kind::write, 1, 0, false, layout::curator});
  static const lists write{
      {"first", {writer, later, stray}},
      {"behind_one", {writer, pair_read}},
      {"behind_two", {pair_read, writer, pair_write}},
      {"absent", {pair_write}},
      {"tied", {writer, tied}},
      {"foreign", {writer, earlier_read}},
  };
  static const std::string lease = own_name_of(lease_of_four);
  static const std::string other = "_c_6a0f5f1c-5d1c-4d5b-9a55-0c8a4c1f7b11-lease-0000000003";
  static const lists leases{
      {"first", {lease, other, stray, "another stray child"}},
      {"next", {lease, other, stray, "another stray child", "and one too many"}},
      {"absent", {other}},
  };
  switch (kind) {
    case contender_kind::read: return read;
    case contender_kind::write: return write;
    default: return leases;
  }
}

/// The lock node's children by their word. Every kind has the same words, for what is the same to it.
const lists& lists_of(const acquire_spec& wanted) {
  if (wanted.as == layout::curator && wanted.kind != contender_kind::mutex) {
    return curator_lists_of(wanted.kind);
  }
  static const lists mutex{
      {"first", {own_name, later_mutex, stray}},
      {"behind_one", {own_name, nearest_name}},
      {"behind_two", {nearest_name, own_name, farther_name}},
      {"absent", {nearest_name}},
      {"tied", {own_name, "aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbb-lock-0000000005"}},
      {"foreign", {own_name, "write-aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbb-0000000002"}},
      {"mixed", {own_name, "write-aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbb-0000000009"}},
  };
  static const std::string reader = own_name_of({contender_kind::read});
  static const lists read{
      {"first", {reader, later_write, earlier_read, stray}},
      {"behind_one", {earlier_read, reader, first_write}},
      {"behind_two", {earlier_write, reader, first_write}},
      {"absent", {earlier_write}},
      {"tied", {reader, "write-aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbb-0000000005"}},
      {"foreign", {reader, nearest_name}},
  };
  static const std::string writer = own_name_of({contender_kind::write});
  static const lists write{
      {"first", {writer, later_write, stray}},
      {"behind_one", {writer, earlier_read}},
      {"behind_two", {earlier_read, writer, first_write}},
      {"absent", {earlier_read}},
      {"tied", {writer, "read-aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbb-0000000005"}},
      {"foreign", {writer, nearest_name}},
  };
  static const std::string permits = own_name_of(two_of_four);
  static const std::string two = "permit-aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbb-2-0000000001";
  static const std::string three = "permit-ccccccccccccccccdddddddddddddddd-3-0000000003";
  static const lists permit{
      {"first", {permits, two, stray}},
      {"followed", {permits, two, "permit-eeeeeeeeeeeeeeeeffffffffffffffff-1-0000000006"}},
      {"next", {permits, three}},
      {"behind_two", {two, permits, three}},
      {"absent", {three}},
      {"tied", {permits, "permit-aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbb-1-0000000005"}},
      {"foreign", {permits, nearest_name}},
      {"mixed", {permits, later_mutex}},
  };
  switch (wanted.kind) {
    case contender_kind::read: return read;
    case contender_kind::write: return write;
    case contender_kind::permit: return permit;
    default: return mutex;
  }
}

const children& children_of(std::string_view word, const acquire_spec& wanted) {
  static const children none;
  if (word == "behind_ours") {
    static children ours;
    ours = {own_name_of(wanted), before_name_of(wanted)};
    return ours;
  }
  const auto found = lists_of(wanted).find(word);
  return found == lists_of(wanted).end() ? none : found->second;
}

std::string_view limit_of(std::string_view word) {
  static const std::map<std::string_view, std::string_view> texts{
      {"ok", "limit=4\n"}, {"small", "limit=1\nwas=4\n"}, {"other", "limit=9\n"}, {"nonsense", "hello"}};
  const auto found = texts.find(word);
  return found == texts.end() ? std::string_view() : found->second;
}

code code_of(std::string_view word) {
  static const std::map<std::string_view, code> codes{{"ok", code::ok},
                                                      {"loss", code::connection_loss},
                                                      {"no_node", code::no_node},
                                                      {"no_auth", code::no_auth},
                                                      {"exists", code::node_exists},
                                                      {"throttled", code::throttled},
                                                      {"bad_version", code::bad_version}};
  const auto found = codes.find(word);
  return found == codes.end() ? code::ok : found->second;
}

using maker = contender_event (*)(std::string_view, const acquire_spec&);

const std::map<std::string_view, maker>& makers() {
  static const std::map<std::string_view, maker> table{
      {"connected", [](std::string_view, const acquire_spec&) -> contender_event { return event::connected{}; }},
      {"disconnected", [](std::string_view, const acquire_spec&) -> contender_event { return event::disconnected{}; }},
      {"session_over", [](std::string_view, const acquire_spec&) -> contender_event { return event::session_over{}; }},
      {"lock_node_made",
       [](std::string_view how, const acquire_spec&) -> contender_event {
         return event::lock_node_made{how == "no_root" ? code::no_node : code_of(how), how == "no_root"};
       }},
      {"created",
       [](std::string_view how, const acquire_spec& wanted) -> contender_event {
         static std::string whole;
         whole = own_name_of(wanted);
         const std::string_view name = how == "cut"  ? std::string_view(whole).substr(0, 40)
                                       : how == "ok" ? std::string_view(whole)
                                                     : std::string_view();
         return event::created{code_of(how), name, created_token};
       }},
      {"synced",
       [](std::string_view how, const acquire_spec&) -> contender_event { return event::synced{code_of(how)}; }},
      {"listed",
       [](std::string_view how, const acquire_spec& wanted) -> contender_event {
         constexpr std::string_view rewritten = "rewritten:";
         const bool since = how.starts_with(rewritten);
         return event::listed{code_of(how), children_of(since ? how.substr(rewritten.size()) : how, wanted), 0,
                              since ? limit_written + 1 : limit_written};
       }},
      {"list_shown",
       [](std::string_view how, const acquire_spec& wanted) -> contender_event {
         const event::listed list{code::ok, children_of(how == "full" ? "next" : "first", wanted), 0, limit_written};
         return event::list_shown{list, {permit_limit{4, 4}, false, 7, limit_written - (how == "older" ? 1 : 0)}};
       }},
      {"lock_node_watched",
       [](std::string_view how, const acquire_spec&) -> contender_event {
         return event::lock_node_watched{code_of(how), how == "ok" ? before_alone_in : 0};
       }},
      {"siblings_listed",
       [](std::string_view how, const acquire_spec&) -> contender_event {
         static const children mixed{"locks", "leases", nearest_name};
         static const children alone{"locks", "leases", "a stray child"};
         static const children none;
         return event::siblings_listed{code_of(how), how == "mixed" ? mixed : how == "ok" ? alone : none};
       }},
      {"own_watched",
       [](std::string_view how, const acquire_spec&) -> contender_event {
         return event::own_watched{code_of(how), found_token, how != "foreign"};
       }},
      {"limit_read",
       [](std::string_view how, const acquire_spec&) -> contender_event {
         return event::limit_read{code_of(how), limit_of(how), 7, limit_written};
       }},
      {"limit_stored",
       [](std::string_view how, const acquire_spec&) -> contender_event { return event::limit_stored{code_of(how)}; }},
      {"marked",
       [](std::string_view how, const acquire_spec&) -> contender_event { return event::marked{code_of(how)}; }},
      {"predecessor_watched",
       [](std::string_view how, const acquire_spec& wanted) -> contender_event {
         const contender_mode lets_pass =
             wanted.kind == contender_kind::permit ? contender_mode::granted : contender_mode::read;
         return event::predecessor_watched{code_of(how), how == "ours",
                                           how == "marked" ? lets_pass : contender_mode::write};
       }},
      {"removed",
       [](std::string_view how, const acquire_spec&) -> contender_event {
         return how == "no_successor" ? event::removed{code::no_node, true} : event::removed{code_of(how)};
       }},
      {"passed_on", [](std::string_view, const acquire_spec&) -> contender_event { return event::passed_on{}; }},
      {"predecessor_left",
       [](std::string_view, const acquire_spec&) -> contender_event { return event::predecessor_left{}; }},
      {"own_gone", [](std::string_view, const acquire_spec&) -> contender_event { return event::own_gone{}; }},
      {"own_changed", [](std::string_view, const acquire_spec&) -> contender_event { return event::own_changed{}; }},
      {"predecessor_gone",
       [](std::string_view, const acquire_spec&) -> contender_event { return event::predecessor_gone{}; }},
      {"predecessor_changed",
       [](std::string_view, const acquire_spec&) -> contender_event { return event::predecessor_changed{}; }},
      {"children_changed",
       [](std::string_view, const acquire_spec&) -> contender_event { return event::children_changed{}; }},
      {"limit_changed",
       [](std::string_view, const acquire_spec&) -> contender_event { return event::limit_changed{}; }},
      {"enlisted", [](std::string_view, const acquire_spec&) -> contender_event { return event::enlisted{}; }},
      {"downgrade", [](std::string_view, const acquire_spec&) -> contender_event { return event::downgrade{}; }},
      {"stop",
       [](std::string_view, const acquire_spec&) -> contender_event { return event::stop{refusal::abandoned}; }},
      {"release", [](std::string_view, const acquire_spec&) -> contender_event { return event::release{}; }},
      {"look_after_own",
       [](std::string_view, const acquire_spec&) -> contender_event { return event::look_after_own{}; }},
  };
  return table;
}

}  // namespace

std::vector<std::string> all_events(const acquire_spec& of) {
  static const std::vector<std::pair<std::string, std::string>> answers{
      {"lock_node_made", "ok no_auth loss"},
      {"created", "ok cut loss throttled no_node exists no_auth"},
      {"synced", "ok loss no_auth"},
      {"siblings_listed", "ok mixed loss no_node"},
      {"lock_node_watched", "ok other loss no_node"},
      {"limit_read", "ok empty small other nonsense loss no_node no_auth"},
      {"limit_stored", "ok bad_version loss no_node no_auth"},
      {"marked", "ok loss no_node no_auth exists"},
      {"own_watched", "ok foreign loss no_node no_auth"},
      {"predecessor_watched", "ok ours marked loss no_node no_auth"},
      {"removed", "ok loss throttled no_node no_auth no_successor"},
      {"listed", "loss no_node no_auth"},
  };
  std::vector<std::string> words = split(
      "connected enlisted disconnected session_over own_gone own_changed predecessor_gone predecessor_changed "
      "children_changed limit_changed passed_on predecessor_left stop release look_after_own downgrade");
  for (const auto& [event, several] : answers) {
    for (const std::string& answer : split(several)) {
      words.push_back(event + ":" + answer);
    }
  }
  for (const auto& [word, children] : lists_of(of)) {
    words.push_back("listed:" + std::string(word));
  }
  words.emplace_back("list_shown:fits");
  if (of.kind == contender_kind::permit) {
    words.emplace_back("list_shown:full");
    words.emplace_back("list_shown:older");
    words.emplace_back("listed:rewritten:first");
    words.emplace_back("listed:rewritten:absent");
    words.emplace_back("listed:rewritten:tied");
  }
  return words;
}

std::string own_name_of(const acquire_spec& wanted) {
  return std::string(contender_prefix(wanted.kind, own_id, wanted.permits, wanted.as)) + "0000000005";
}

std::string before_name_of(const acquire_spec& wanted) {
  const contender_kind kind = wanted.kind == contender_kind::mutex ? contender_kind::mutex : contender_kind::write;
  return std::string(contender_prefix(kind, {1, 1}, 1)) + "0000000004";
}

contender_event event_of(std::string_view word, const acquire_spec& of) {
  const std::size_t colon = word.find(':');
  const auto found = makers().find(word.substr(0, colon));
  if (found == makers().end()) {
    throw std::invalid_argument("no such event: " + std::string(word));
  }
  return found->second(colon == std::string_view::npos ? std::string_view() : word.substr(colon + 1), of);
}

std::string_view word_of(action what) {
  switch (what) {
    case action::make_lock_node: return "make_lock_node";
    case action::create_own: return "create_own";
    case action::sync: return "sync";
    case action::list: return "list";
    case action::share_list: return "share_list";
    case action::watch_own: return "watch_own";
    case action::watch_predecessor: return "watch_predecessor";
    case action::read_limit: return "read_limit";
    case action::store_limit: return "store_limit";
    case action::watch_limit: return "watch_limit";
    case action::watch_children: return "watch_children";
    case action::mark_own: return "mark_own";
    case action::list_siblings: return "list_siblings";
    case action::watch_lock_node: return "watch_lock_node";
    case action::replace_with_reader: return "replace_with_reader";
    case action::forget_limit: return "forget_limit";
    case action::forget_children: return "forget_children";
    case action::forget_predecessor: return "forget_predecessor";
    case action::forget_own: return "forget_own";
    case action::watch_own_later: return "watch_own_later";
    case action::tell_of_mark: return "tell_of_mark";
    case action::show_list: return "show_list";
    case action::warn_of_others: return "warn_of_others";
    case action::remove_own: return "remove_own";
    case action::pass_on: return "pass_on";
    case action::tell_of_others: return "tell_of_others";
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

std::string word_of(const decision& next, const action_list& actions) {
  return std::to_string(static_cast<int>(next.is)) + "/" + std::to_string(static_cast<int>(next.why)) + "/" +
         std::to_string(static_cast<int>(next.with)) + " " + word_of(actions);
}

std::vector<std::string> split(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) {
    words.push_back(word);
  }
  return words;
}

}  // namespace zklock::recipes::words
