#include "tests/soak/director.hpp"

#include <algorithm>
#include <exception>
#include <thread>

#include "examples/demo/token_store.hpp"
#include "tests/integration/inspector.hpp"
#include "tests/support/eventually.hpp"

namespace zklock::soak {

using namespace std::chrono_literals;
using std::chrono::duration_cast;
using std::chrono::milliseconds;

director::director(soak_options options) : options_(std::move(options)), stage_(options_.stage) {}

milliseconds director::elapsed() const { return duration_cast<milliseconds>(clock::now() - began_); }

bool director::run() {
  constexpr auto round_length = 60s;
  constexpr auto least = 15s;
  for (round_ = 1; judge_.found().empty(); ++round_) {
    const milliseconds left = options_.time - elapsed();
    if (round_ > 1 && left < least) break;
    run_round(round_, std::min<milliseconds>(round_length, left));
  }
  if (options_.every_fault && judge_.found().empty()) {
    for (std::size_t kind = 0; kind < fault_kinds; ++kind) {
      const auto one = static_cast<fault_kind>(kind);
      if (!stage_.done().contains(one)) find("every-fault", std::string(to_string(one)) + " never came");
    }
  }
  if (judge_.found().empty()) {
    for (const std::string& how : stage_.dismiss()) find("worker-says", how);
  }
  if (!judge_.found().empty()) stage_.keep_server_logs();
  print_summary();
  print_findings();
  return judge_.found().empty();
}

void director::run_round(std::uint64_t round, milliseconds length) {
  stage_.say_to_all("work");
  perform(round, length);
  if (!stage_.calm()) find("servers", "not all servers serve, though no fault is left");
  come_to_rest();
  if (!judge_.found().empty()) return;
  find_what_is_left();
  judge_.round_over([this](const std::string& lock) { return demo::token_store(stage_.store_of(lock)).look().value; });
  if (judge_.found().empty()) drop_read_logs();
}

void director::perform(std::uint64_t round, milliseconds length) {
  std::vector<planned_fault> plan = plan_round(options_.stage.seed, round, length);
  const auto began = clock::now();
  constexpr auto again_after = 300ms;
  constexpr auto patience = 60s;  // for faults whose victims had others
  for (;;) {
    const auto now = duration_cast<milliseconds>(clock::now() - began);
    const bool all_came = plan.empty() && stage_.orders_are_done();
    if (now >= length + patience || (now >= length && all_came) || !judge_.found().empty()) return;
    stage_.end_what_is_due();
    for (planned_fault& undone : stage_.take_undone()) {
      undone.at = now + again_after;
      ++undone.choice;
      plan.push_back(undone);
    }
    std::erase_if(plan, [&](planned_fault& one) {
      if (one.at > now) return false;
      if (stage_.begin(aimed(one))) return true;
      one.at += again_after;
      ++one.choice;
      return false;
    });
    hear_all();
    if (clock::now() >= next_line_) print_line();
    std::this_thread::sleep_for(20ms);
  }
}

/// Every other fault goes to a worker that has held for a while, and so goes on holding for a while, if there is one:
/// faults that hit no hold are many.
planned_fault director::aimed(planned_fault fault) const {
  constexpr auto a_while = 200ms;
  const auto holders = judge_.holders_since(boot_clock::now() - a_while);
  if (fault.choice / 100 % 2 == 0 || holders.empty()) return fault;
  const auto running = stage_.running();
  const auto aim = std::find(running.begin(), running.end(), *holders.begin());
  if (aim != running.end()) {
    fault.choice += stage::workers - fault.choice % stage::workers + static_cast<std::uint64_t>(aim - running.begin());
  }
  return fault;
}

void director::come_to_rest() {
  const auto began = clock::now();
  stage_.say_to_all("rest");
  constexpr auto patience = 120s;
  const bool all_rest = test_support::eventually(
      [&] {
        hear_all();
        const auto running = stage_.running();
        return !judge_.found().empty() ||
               std::all_of(running.begin(), running.end(), [&](const auto& name) { return judge_.rests(name); });
      },
      patience);
  longest_until_rest_ = std::max(longest_until_rest_, duration_cast<milliseconds>(clock::now() - began));
  if (all_rest) return;
  std::string what = "all has been quiet for " + std::to_string(patience.count()) + " s, and these have not ended:";
  for (const std::string& one : judge_.under_way()) what += "\n    " + one;
  find("wait-ends", what);
}

/// The workers rest, and their sessions are open: nothing of theirs may be there once the sessions that were given up on
/// the way have run out.
void director::find_what_is_left() {
  constexpr milliseconds busy_machine = 10s;
  constexpr milliseconds limit = stage::longest_timeout + 2 * stage::tick + busy_machine;
  const auto began = clock::now();
  std::vector<std::string> left;
  const bool nothing = test_support::eventually(
      [&] {
        left = contenders_left();
        if (left.empty()) left = stage_.watches();
        return left.empty();
      },
      limit);
  longest_left_ = std::max(longest_left_, duration_cast<milliseconds>(clock::now() - began));
  for (const std::string& one : left) {
    if (!nothing) find("nothing-left", one);
  }
}

std::vector<std::string> director::contenders_left() {
  std::vector<std::string> left;
  try {
    test::inspector look(stage_.nodes().servers);
    static_cast<void>(look.ask(client::request::sync{"/"}));
    for (const std::string& lock : stage_.nodes().locks) {
      const std::string path = stage_.nodes().chroot + lock;
      for (const std::string& name : look.children(path)) {
        std::string data;
        if (look.look(path + "/" + name)) data = look.data(path + "/" + name);
        std::replace(data.begin(), data.end(), '\n', ' ');
        left.push_back(path + "/" + name + " " + data);
      }
    }
  } catch (const std::exception& error) {  // it went between two questions, or no server has answered: once more
    left.emplace_back(error.what());
  }
  return left;
}

void director::hear_all() {
  for (const std::string& name : stage_.running()) {
    tails_.try_emplace(name, options_.stage.directory / (name + ".events"));
  }
  for (auto& one : tails_) {
    one.second.read([&](std::string_view line) { judge_.hear(one.first, line); });
  }
  // Only what goes through the leader moves a hold's deadline, and its own end comes with that: one session timeout is enough.
  constexpr auto told_within = stage::longest_timeout + stage::tick;
  for (const forced_end& one : stage_.take_forced_ends()) {
    judge_.forced_end(one.lock, one.node, one.at, one.known + told_within);
  }
  for (const std::string& name : stage_.take_killed()) judge_.killed(name);
  for (const std::string& how : stage_.ended_by_themselves()) find("worker-says", how);
}

void director::drop_read_logs() {
  const auto running = stage_.running();
  for (auto& [name, tail] : tails_) {
    if (std::find(running.begin(), running.end(), name) != running.end()) {
      tail.start_afresh();
      continue;
    }
    std::error_code not_there;
    for (const char* suffix : {".events", ".library", ".1.library"}) {
      std::filesystem::remove(options_.stage.directory / (name + suffix), not_there);
    }
  }
  std::erase_if(tails_,
                [&](const auto& one) { return std::find(running.begin(), running.end(), one.first) == running.end(); });
}

}  // namespace zklock::soak
