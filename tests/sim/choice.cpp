#include "tests/sim/choice.hpp"

#include <utility>

namespace zklock::sim {
namespace {

using testing::access;
using testing::step;
using testing::step_kind;

/// A connection takes from the front of its two queues and puts at their ends: hearing and being served do not meet.
bool two_ends_of_a_connection(const step& a, const step& b) {
  const auto heard_and_served = [](const step& heard, const step& served) {
    return heard.kind == step_kind::deliver && heard.position == 0 &&
           (served.kind == step_kind::serve || served.kind == step_kind::connect);
  };
  return a.client == b.client && (heard_and_served(a, b) || heard_and_served(b, a));
}

/// Messages between servers: each queue has one end at either server.
bool between_servers(const step& a, const step& b) {
  if (a.kind == step_kind::follow && b.kind == step_kind::follow) {
    return a.server != b.server;
  }
  const auto led_and_followed = [](const step& led, const step& followed) {
    return led.kind == step_kind::lead && followed.kind == step_kind::follow;
  };
  return led_and_followed(a, b) || led_and_followed(b, a);
}

/// The leader ends a session: its connection is told at the end of its queue.
bool ends_session_elsewhere(const step& a, const step& b) {
  const auto expiry_and_program = [](const step& expiry, const step& other) {
    return expiry.kind == step_kind::session_expiry && other.position == 0 &&
           (other.kind == step_kind::deliver || other.kind == step_kind::client_ping ||
            other.kind == step_kind::client_timeout);
  };
  return expiry_and_program(a, b) || expiry_and_program(b, a);
}

bool model_steps(const step& a, const step& b) {
  return ends_session_elsewhere(a, b) || testing::commute(a, b) || two_ends_of_a_connection(a, b) ||
         between_servers(a, b);
}

bool fault_and(const choice& fault, const choice& other) {
  const trouble_kind kind = fault.fault.kind;
  if (other.what == choice::kind::fault || other.what == choice::kind::time || other.what == choice::kind::limit) {
    return false;
  }
  if (other.on_client_side() && leaves_client_side_alone(kind)) {
    return true;
  }
  if (!hits_client(kind) || other.side() == fault.fault.target || other.side() < 0) {
    return false;
  }
  switch (kind) {
    case trouble_kind::session_expired:
    case trouble_kind::session_replaced:
    case trouble_kind::node_removed:
    case trouble_kind::request_applied:
    case trouble_kind::follower_lagging:
      return other.on_client_side();  // it changes nodes, or the way in which others see them
    default: return true;             // it is about the client and its connection alone
  }
}

}  // namespace

bool choice::on_client_side() const noexcept {
  switch (what) {
    case kind::timer:
    case kind::act:
    case kind::limit: return true;
    case kind::model: return step.kind == step_kind::deliver || step.kind == step_kind::client_ping;
    default: return false;
  }
}

bool independent(const choice& a, const choice& b) noexcept {
  if (a.what == choice::kind::fault) {
    return fault_and(a, b);
  }
  if (b.what == choice::kind::fault) {
    return fault_and(b, a);
  }
  if (a.what == choice::kind::time || b.what == choice::kind::time) {
    return false;
  }
  if (a.what == choice::kind::model && b.what == choice::kind::model) {
    return model_steps(a.step, b.step);
  }
  const choice& inside = a.what == choice::kind::model ? b : a;
  const choice& other = a.what == choice::kind::model ? a : b;
  if (inside.side() != other.side()) {
    return other.on_client_side() || other.side() >= 0 || other.step.kind == step_kind::lead ||
           other.step.kind == step_kind::follow || other.step.kind == step_kind::session_expiry;
  }
  // a session that sends puts at the end of the queue from whose front the server takes
  return other.what == choice::kind::model && other.step.kind == step_kind::serve && inside.what != choice::kind::limit;
}

}  // namespace zklock::sim
