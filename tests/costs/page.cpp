// The page on costs.
#include <sstream>

#include "tests/costs/queue_cost.hpp"
#include "tests/costs/situation.hpp"

namespace zklock::costs {
namespace {

using namespace client::request;

constexpr const char* head = R"(# What a lock costs

This page says how many round trips, requests, watches and wake-ups a lock costs in the native layout. The program
`zklock_cost_table` writes the page: it plays each situation with the library's own state machines and session logic, on
a model of an ensemble, and counts. If the page differs from these counts, the build fails. The numbers are exact. The
page says nothing of time: that is measured, for example [how late a loss is noticed](loss.md).

In each situation one client, the newcomer, acquires a lock. Each contender has a session of its own, and the lock node
exists. No time passes, so there are no heartbeats ([their cost](deadline.md#what-it-costs)). The contenders before the
newcomer release one after the other; in one row the writer before the newcomer downgrades instead.

| column | says |
|---|---|
| wants | what the newcomer acquires |
| round trips to enter | the longest chain of requests in which each request waits for the answer to the request before it. Requests that are sent together count once. "To enter" means until the newcomer is granted, or waits |
| requests to enter | all requests that the newcomer sends in that time |
| watches | the watches that the newcomer has while it waits. `granted`: the newcomer is granted at once and does not wait, so the next four columns are empty |
| wake-ups | the events that reach the newcomer while it waits |
| requests after wake-ups | all requests that the newcomer sends because of these events |
| round trips after the last wake-up | the round trips from the last event to the grant |
| in vain | the greatest number of clients that one release wakes without letting them in |
| release | the round trips of the newcomer's release, a colon, then the requests of the release |

| wants | situation | round trips to enter | requests to enter | watches | wake-ups | requests after wake-ups | round trips after the last wake-up | in vain | release |
|---|---|---|---|---|---|---|---|---|---|
)";

constexpr const char* foot = R"(
What the table shows, and what holds beyond it (T is the session timeout):

- **A free lock** costs one round trip, with any recipe. If a multi-lock finds another child of its lock nodes, it costs
  a second one: the client then reads one of its nodes for the [fencing token](wire-format.md#a-multi-lock). (Permits
  cost more after a change of their limit, and in Curator's layout: [wire
  format](wire-format.md#what-is-asked-of-the-server).)
- **A free mutex, or side, that the session was alone at before** costs no list: the new node's number is one more than
  the last one's, so nobody has come in between. The second time one `exists` says that the lock node is the same one,
  and sets a watch that says so from then on. A number that is not in a row costs a round trip more, and the next time a
  list.
- **A held lock** costs two round trips to enter the queue. A waiter that has not set the watch on its own node by then
  does so by one get after T/12. (The next in line of a semaphore watches the lock node, and sends no such get.) Until
  an event the waiter sends nothing further but heartbeats, however long it waits.
- **A hold** of any length costs one get after T/12, which sets the watch on its own node, and heartbeats. A session has
  no more watches than a reconnect can carry (some 10,000 paths of 80 bytes). Further holds read their own nodes in
  turn, at most 100 in each T/12: if there are N such holds, each reads its node once in N/100 * T/12.
- **The hand-over** of a mutex, a side or a multi-lock costs no round trip after the event, if the contender that went
  was the only one before the waiter. In all other cases, and always for permits, it costs one.
- **No herd**: a release wakes the clients that it lets in, and at most one other client, which reads the queue
  and waits on.
- **A try that fails** costs at most what it takes to enter, one read and one removal; mostly one read, or nothing
  ([in which case](../guide/mutexes.md#a-try-and-who-is-in-the-way)).
- **A `set`** is a semaphore's mark, and no client waits for its answer. By its mark a holder tells the contender behind
  it that only holders stand before that contender.
)";

constexpr const char* queues_head = R"(
## A whole queue

Contenders of a mutex queue, and each releases when it is granted. Contenders of one session begin at the same time.
Those of several sessions begin one after the other, so that no two of one session stand side by side. The table counts
what all clients send, from the first request to the answer to the last removal. Bytes are those of paths, names and
data in requests and answers, for each acquisition.

| contenders | sessions | requests | watches while the first one holds | wake-ups | bytes each |
|--:|--:|---|--:|--:|--:|
)";

constexpr const char* queues_foot = R"(
- **Contenders of one session** need one list in all, and no watch. A removal and the check of the next node go in one
  transaction (`multi`), whose answer is the grant. Neither joining nor the hand-over costs more in a longer queue.
- **Contenders of several sessions** list when they join, and again if the contender that went was not the only one
  before them; the names in these lists are what grows with the queue.
- **With [local hand-over](../guide/mutexes.md#local-hand-over)** the acquisitions of one lock object cost one create
  and one removal for each `max_turns` of them.
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
  say(text, of.sent<exists>(), "exists");
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

std::string row(const queue_plan& plays) {
  const queue_cost found = measure(plays);
  std::ostringstream out;
  out << "| " << plays.contenders << (plays.hand_over ? ", with hand-over" : "") << " | " << plays.sessions << " | "
      << requests(found.total) << " | " << found.watches << " | " << found.total.wake_ups << " | "
      << found.total.bytes / plays.contenders << " |\n";
  return out.str();
}

}  // namespace

std::string page(const std::vector<situation>& all) {
  std::string text = head;
  for (const situation& one : all) {
    text += row(one);
  }
  text += foot;
  text += queues_head;
  for (const queue_plan& one : queues()) {
    text += row(one);
  }
  return text + queues_foot;
}

}  // namespace zklock::costs
