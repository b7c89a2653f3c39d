#include "tests/soak/operator_hand.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "tests/support/eventually.hpp"
#include "tests/support/four_letter_word.hpp"

namespace zklock::soak {

namespace request = client::request;
using test_support::proxy;
using test_support::proxy_mode;

operator_hand::operator_hand(lock_nodes where) : where_(std::move(where)), working_([this] { run(); }) {}

operator_hand::~operator_hand() {
  {
    const std::scoped_lock lock(mutex_);
    over_ = true;
    changed_.notify_all();
  }
  working_.join();
}

void operator_hand::run() {
  for (;;) {
    job next;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return over_ || !jobs_.empty(); });
      if (over_) return;
      next = jobs_.front();
    }
    bool done = false;
    try {
      done = next.work();
    } catch (const std::exception&) {  // no server has answered: another time
    }
    next.call(done);
    const std::scoped_lock lock(mutex_);
    jobs_.pop_front();
  }
}

void operator_hand::order(job what) {
  const std::scoped_lock lock(mutex_);
  jobs_.push_back(std::move(what));
  changed_.notify_all();
}

void operator_hand::remove_a_contender(std::uint64_t choice, then call) {
  order({[this, choice] { return remove(choice); }, std::move(call)});
}

void operator_hand::expire_session_behind(const std::vector<proxy*>& ways, then call) {
  order({[this, ways] {
           for (proxy* way : ways) way->set_mode(proxy_mode::cut);
           bool done = false;
           try {
             done = expire(ways);
           } catch (const std::exception&) {}
           for (proxy* way : ways) way->set_mode(proxy_mode::pass);
           return done;
         },
         std::move(call)});
}

bool operator_hand::idle() const {
  const std::scoped_lock lock(mutex_);
  return jobs_.empty();
}

std::vector<forced_end> operator_hand::take_forced_ends() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(forced_, {});
}

/// They are gone: an end that was asked for and did not come excuses no holder.
void operator_hand::note(const std::vector<contender>& all, instant at) {
  const instant known = boot_clock::now();
  const std::scoped_lock lock(mutex_);
  for (const contender& one : all) forced_.push_back({one.lock, one.node, at, known});
}

/// For when it is unknown whether the request is done, or will be: no fault holds it up for longer than this waits.
bool operator_hand::are_gone(const std::vector<contender>& all) const {
  constexpr auto patience = std::chrono::seconds(12);
  test::inspector eye(where_.servers);
  return test_support::eventually(
      [&] {
        try {
          if (eye.ask(request::sync{"/"}).code != client::code::ok) return false;
          return std::none_of(all.begin(), all.end(),
                              [&](const contender& one) { return eye.look(where_.chroot + one.node).has_value(); });
        } catch (const std::exception&) {  // no server has answered
          return false;
        }
      },
      patience);
}

/// By place in the queue.
std::vector<operator_hand::contender> operator_hand::contenders(test::inspector& through,
                                                                const std::string& lock) const {
  std::vector<std::string> names = through.children(where_.chroot + lock);
  const auto number = [](const std::string& name) { return name.substr(name.rfind('-') + 1); };
  std::sort(names.begin(), names.end(), [&](const auto& a, const auto& b) { return number(a) < number(b); });
  std::vector<contender> found;
  for (const std::string& name : names) {
    const std::string node = lock + "/" + name;
    if (const auto stat = through.look(where_.chroot + node)) found.push_back({lock, node, stat->ephemeral_owner});
  }
  return found;
}

bool operator_hand::remove(std::uint64_t choice) {
  test::inspector hand(where_.servers);
  const auto queue = contenders(hand, where_.locks[choice % where_.locks.size()]);
  if (queue.empty()) return false;
  const bool any = choice % 4 == 0;
  const contender& victim = queue[any ? choice % queue.size() : 0];
  const instant at = boot_clock::now();
  std::optional<client::code> answer;
  try {
    answer = hand.ask(request::remove{where_.chroot + victim.node}).code;
  } catch (const std::exception&) {}  // none has come: it may be done all the same
  if (answer == client::code::no_node) return false;
  if (answer != client::code::ok && !are_gone({victim})) return false;
  note({victim}, at);
  return true;
}

bool operator_hand::expire(const std::vector<proxy*>& ways) {
  test::inspector hand(where_.servers);
  static_cast<void>(hand.ask(request::sync{"/"}));
  std::vector<contender> all;
  for (const std::string& lock : where_.locks) {
    for (contender& one : contenders(hand, lock)) all.push_back(std::move(one));
  }
  for (proxy* way : ways) {
    const test_support::session_credentials victim = way->last_session();
    std::vector<contender> its = all;
    std::erase_if(its, [&](const contender& one) { return one.owner != victim.id; });
    if (!its.empty() && expire_on_some_server(victim, its)) return true;
  }
  return false;
}

bool operator_hand::expire_on_some_server(const test_support::session_credentials& victim,
                                          const std::vector<contender>& its) {
  for (const std::uint16_t port : where_.ports) {
    constexpr std::chrono::milliseconds patience{500};
    if (test_support::ask_server(port, "srvr", patience).find("Mode:") == std::string::npos) continue;
    const instant at = boot_clock::now();
    try {
      test_support::expire_session(port, victim);
    } catch (const test_support::no_answer&) {}  // it may be done all the same
    if (!are_gone(its)) return false;
    note(its, at);
    return true;
  }
  return false;
}

}  // namespace zklock::soak
