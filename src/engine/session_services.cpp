#include "src/engine/session_services.hpp"

#include <utility>
#include <variant>

namespace zklock::engine {
namespace {

template <class... Functions>
struct overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
overloaded(Functions...) -> overloaded<Functions...>;  // clang 14 does not deduce aggregates

}  // namespace

session_facts session_services::facts(instant now) {
  session_facts all;
  all.now = now;
  all.connected = session_.is_connected();
  all.suspended = session_.state() == session_state::suspended;
  all.adopted = wire_.is_adopted();
  all.containers = containers_;
  all.id = session_.id();
  all.timeout = deadline_.local().timeout();
  all.slice = config_.slice;
  all.root = &config_.root;
  all.spares = &wire_.spares();
  all.deadline = &deadline_.of_holds();
  all.world = &world_;
  return all;
}

operation_table::event session_services::apply(std::uint64_t operation, any_wish&& what, instant now) {
  operation_table::event told;
  std::visit(
      overloaded{
          [&](wish::request&& one) {
            wire_.send({0, operation, one.as, {.first = one.heard_first}}, std::move(one.what), now);
          },
          [&](wish::quorum_write&& one) {
            wire_.send({0, operation, one.as, {.quorum = true}}, deadline_.beats().quorum_write(), now);
          },
          [&](wish::watch&& one) {
            const tag as = one.as;
            if (!wire_.watch(operation, std::move(one), now)) {
              told = [as](engine::operation& it, out& wants) { it.watch_refused(as, wants); };
            }
          },
          [&](wish::forget_watch&& one) { wire_.forget_watch(operation, one.as); },
          [&](wish::forget_requests&&) { wire_.forget_requests(operation); },
          [&](wish::await_cover&&) { told = await_cover(operation, now); },
          [&](wish::await_no_cover&&) { deadline_.await_no_more(operation); },
          [&](wish::count&& one) { deadline_.count(one.what, one.by); },
          [&](wish::note_no_containers&&) { containers_ = false; },
          [&](wish::report_loss&& one) { world_.notice_of_loss(std::move(one.lost)); },
          [&](wish::log&& one) { world_.log(std::move(*one.line)); }, [](auto&&) {},  // about operations: the table's
      },
      std::move(what));
  return told;
}

void session_services::forget(std::uint64_t operation) {
  wire_.forget(operation);
  deadline_.await_no_more(operation);
}

/// A grant is delivered only while the local deadline is ahead (F19); until an answer says so, it waits.
operation_table::event session_services::await_cover(std::uint64_t operation, instant now) {
  const deadline_keeper::wait wait = deadline_.await(operation, now);
  if (wait.ahead) {
    return [](engine::operation& it, out& wants) { it.covered(wants); };
  }
  if (wait.first) {
    beat(now);
  }
  return {};
}

void session_services::send_beat(heartbeat::request_kind kind, instant now) {
  deadline_.local().beat(kind, now);
  wire_.send({0, 0, 0, {}}, deadline_.beats().request(kind), now);
}

void session_services::beat_if_due(instant now) {
  if (const std::optional<instant> due = beat_due(); due && now >= *due) {
    beat(now);
  }
}

std::optional<instant> session_services::beat_due() const {
  return beats_ && wire_.handles().current() != nullptr ? deadline_.beat_due(session_.is_connected()) : std::nullopt;
}

}  // namespace zklock::engine
