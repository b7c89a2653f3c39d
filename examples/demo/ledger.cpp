#include "examples/demo/ledger.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace demo {

namespace {

std::string_view meaning(step said) {
  switch (said) {
    case step::ready: return "has connected";
    case step::acquired: return "has the lock and reads";
    case step::read: return "has read and computes";
    case step::checked: return "has the lock and is about to write";
    case step::wrote: return "has written";
    case step::refused: return "was refused";
    case step::lost: return "has lost the lock and waits for it again";
    case step::still_held: return "was refused, and believes that it has the lock";
    case step::releases: return "waits for the lock";
    case step::done: return "is done";
  }
  return "";
}

}  // namespace

ledger::ledger(int workers, long increments) : increments_(increments), books_(static_cast<std::size_t>(workers)) {}

void ledger::note(const event& said) {
  book& own = of(said.worker);
  own.said = said.what;
  if (said.what == step::ready) own.ready = true;
  if (said.what == step::done) own.done = true;
  if (said.what == step::wrote) ++own.made;
  if (said.what == step::acquired) {
    own.last = holds_.size();
    holds_.push_back({said.worker, said.token, std::chrono::microseconds(said.number)});
  }
  if (!own.last) return;
  hold& current = holds_[*own.last];
  switch (said.what) {
    case step::read: current.found = said.number; break;
    case step::wrote: current.wrote = true; break;
    case step::refused: current.refused = true; break;
    case step::lost:
      current.lost = true;
      current.reason = said.text;
      current.ended = true;
      break;
    case step::still_held: current.said_still_held = true; [[fallthrough]];
    case step::releases: current.ended = true; break;
    default: break;
  }
}

void ledger::note_kill(int worker) { of(worker).killed = true; }
void ledger::note_freeze(int worker) { of(worker).frozen = true; }

const hold& ledger::last_hold(int worker) const {
  if (!of(worker).last) throw std::logic_error("worker " + std::to_string(worker) + " has never had the lock");
  return holds_[*of(worker).last];
}

bool ledger::has_lock(int worker) const { return of(worker).last && !holds_[*of(worker).last].ended; }

long ledger::made() const {
  return std::accumulate(books_.begin(), books_.end(), 0L, [](long sum, const book& each) { return sum + each.made; });
}

long ledger::left(int worker) const { return killed(worker) ? 0 : increments_ - made(worker); }

bool ledger::ready() const {
  return std::ranges::all_of(books_, [](const book& each) { return each.ready; });
}

std::string ledger::summary() const {
  std::string text;
  for (int worker = 1; worker <= workers(); ++worker) {
    text += "  worker " + std::to_string(worker) + ": ";
    text += killed(worker) ? "killed" : !of(worker).ready ? "has not connected" : meaning(of(worker).said);
    text += '\n';
  }
  return text;
}

}  // namespace demo
