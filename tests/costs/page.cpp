// The page on costs.
#include <sstream>

#include "tests/costs/situation.hpp"

namespace zklock::costs {
namespace {

using namespace client::request;

constexpr const char* head = R"(# What a lock costs

How many round trips, requests, watches and wake-ups a lock takes. `zklock_cost_table` writes this page: it plays each
situation with the machines and the session logic that ship, on the model of an ensemble, and counts. The build fails
when the page differs. The numbers are exact; time is measured elsewhere.

Each contender has a session of its own, the lock node exists, and no time passes: there are no heartbeats
([deadline.md](deadline.md#what-it-costs)). The contenders before the newcomer release one after the other.

- **round trips**: the longest chain of requests of which each waits for the answer to the one before. What is sent
  together counts once.
- **requests**: all that is sent on the way, in words.
- **wake-ups**: events that reach the newcomer while it waits.
- **then**: requests on account of those wake-ups, and the round trips from the last of them to the grant.
- **in vain**: how many clients one release wakes, at the most, that are not let in by it.

| wants | situation | round trips to enter | requests to enter | watches | wake-ups | then | round trips after the last event | in vain | release |
|---|---|---|---|---|---|---|---|---|---|
)";

constexpr const char* foot = R"(
What to read from it:

- A free lock: one round trip, for any recipe; two for a multi-lock, whose token the transaction does not tell.
- A held lock: two, then nothing until an event. A wait of any length costs nothing but heartbeats.
- A hold of any length: one get after T/12, for the watch on its own node, and heartbeats. Beyond what a reconnect can
  carry (some 10,000 paths of 80 bytes) holds read their own nodes in turn, at most 100 in each T/12: of N such holds
  each once in N/100 * T/12.
- Hand-over: none after the event when only the one that went was before, else one.
- No herd: a release wakes those that it lets in, and at the most one more, which then knows its place.
- A `set` is a mark that no client waits for: a semaphore's holder tells the one behind it that it is next.
)";

void say(std::string& to, std::uint64_t count, const char* what) {
  if (count > 0) {
    to += (to.empty() ? "" : ", ") + std::to_string(count) + " " + what;
  }
}

std::string requests(const meter& of) {
  std::string text;
  say(text, of.sent<multi>(), "multi");
  say(text, of.sent<create>(), "create");
  say(text, of.sent<list>(), "list");
  say(text, of.sent<get>(), "get");
  say(text, of.sent<set>(), "set");
  say(text, of.sent<sync>(), "sync");
  say(text, of.sent<remove>(), "remove");
  return text.empty() ? "none" : text;
}

std::string row(const situation& plays) {
  const cost found = measure(plays);
  std::ostringstream out;
  out << "| " << plays.recipe << " | " << plays.where << " | " << found.to_enter.round_trips << " | "
      << requests(found.to_enter) << " | ";
  if (found.at_once) {
    out << "granted | | | | | ";
  } else {
    out << found.watches << " | " << found.to_wait.wake_ups << " | " << requests(found.to_wait) << " | "
        << found.to_wait.round_trips << " | " << found.woken_by_a_release << " | ";
  }
  out << found.to_release.round_trips << ": " << requests(found.to_release) << " |\n";
  return out.str();
}

}  // namespace

std::string page(const std::vector<situation>& all) {
  std::string text = head;
  for (const situation& one : all) {
    text += row(one);
  }
  return text + foot;
}

}  // namespace zklock::costs
