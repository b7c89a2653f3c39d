#include "src/engine/heartbeat.hpp"

#include <algorithm>
#include <utility>

namespace zklock::engine {
namespace {

/// Of a session without a holder, and of one that has never been connected.
constexpr int beats_per_timeout = 5;
/// Without anything else heard, until beats are fewer. What is heard right behind such a spell finds the deadline less far ahead than a
/// frozen server needs: of the sessions with one such answer in a spell, a freeze then costs some 1 % their holds.
constexpr int quiet_timeouts = 3;
/// No node stands below a node that does not: a write that is refused whatever the access lists say.
constexpr const char* node_that_never_is = "/zklock-no-node/none";

}  // namespace

heartbeat::heartbeat(const recipes::deadline_wishes& wishes, std::chrono::nanoseconds asked, std::string root)
    : deadline_(wishes), asked_(asked), root_(std::move(root)) {}

std::chrono::nanoseconds heartbeat::interval(const demand& of, bool connected) const noexcept {
  const bool connected_before = deadline_.timeout().count() > 0;
  if (of.pressed() && connected_before) {
    // without a connection it costs no server anything, and says when the next one was begun
    return in_pairs(of, connected) ? deadline_.terms().pair() : deadline_.terms().dense_beat();
  }
  return (connected_before ? deadline_.timeout() : asked_) / beats_per_timeout;
}

/// Not behind an idle spell, whose syncs came singly; nor while anything else is heard: if a server freezes then, the deadline has
/// to outlast the C client's patience from there on, and not from the last beat on.
bool heartbeat::in_pairs(const demand& of, bool connected) const noexcept {
  const auto& terms = deadline_.terms();
  const bool lags = deadline_.lag() > terms.pair() * 5 / 4;
  const bool quiet =
      !shares_handle_ && (!heard_ || deadline_.pace().last() - *heard_ >= quiet_timeouts * terms.timeout);
  return of.pressed() && connected && quiet && !lags && terms.pairs_suffice();
}

int heartbeat::beats_per_write(const demand& of, bool connected) const noexcept {
  return of.pressed() && !in_pairs(of, connected) ? 3 : 2;
}

std::optional<instant> heartbeat::due(const demand& of, bool connected) const {
  if (!of.nodes && !of.idle) {
    return std::nullopt;
  }
  const std::chrono::nanoseconds every = interval(of, connected);
  instant due = deadline_.pace().last() + every;
  if (const auto write = deadline_.pace().last_write(); write && of.nodes && connected) {
    // A session's own syncs put off no write (F175); the second ones of beats do, a little: right behind an answer a write would prove
    // nothing of it.
    const bool beats_alone = deadline_.pace().last_beat() == deadline_.pace().last();
    due = std::min(due, *write + every * beats_per_write(of, connected) * (beats_alone ? 5 : 4) / 4);
  }
  const std::optional<instant> step = of.awaited && connected ? deadline_.next_step() : std::nullopt;
  return step && *step > deadline_.pace().last() ? std::min(due, *step) : due;
}

/// Each second one is a write, of dense ones each third: more would not help the deadline, since what is known to be heard lags as
/// much. Between two connections none is: it would not be sent (F180), and is due as soon as there is one.
heartbeat::request_kind heartbeat::next_kind(const demand& of, bool connected, instant now) const {
  if (!connected) {
    return request_kind::sync;
  }
  const auto passes = interval(of, connected) * (beats_per_write(of, connected) - 1) * 5 / 4;
  const std::optional<instant> last_write = deadline_.pace().last_write();
  const bool write =
      (of.nodes && (!last_write || now - *last_write >= passes)) || (of.awaited && deadline_.lacks_write(now));
  return write ? request_kind::write : request_kind::sync;
}

client::any_request heartbeat::request(request_kind kind) const {
  return kind == request_kind::write ? quorum_write() : client::any_request(client::request::sync{"/"});
}

bool heartbeat::gains_by_another(const demand& of, bool answered_heartbeat) const {
  const bool asks_on = of.pressed() || (answered_heartbeat && of.nodes);
  return asks_on && deadline_.gain_of_another() >= deadline_.terms().dense_beat() / 2;
}

/// A check changes nothing, and a transaction of it asks the quorum all the same.
client::any_request heartbeat::quorum_write() const {
  using namespace client::request;
  if (root_is_hidden_) {
    return remove{root_ + node_that_never_is, -1};
  }
  return multi{{check{root_.empty() ? "/" : root_, -1}}};
}

client::code heartbeat::quorum_answer(client::code answer) {
  static_cast<void>(note_answer(answer));
  if (answer == client::code::no_auth) {
    return client::code::throttled;
  }
  return recipes::answered_by_leader(answer) ? client::code::ok : answer;
}

}  // namespace zklock::engine
