#include "src/operations/proclaim.hpp"

#include <algorithm>

#include <zklock/error.hpp>

#include "src/errors/error_of.hpp"

namespace zklock::operations {
namespace {

enum : engine::tag { of_own_node_set };

/// Of one node: its hold is no multi-lock's.
std::string node_of(const detail::hold& one) {
  std::vector<detail::hold::guard> nodes;
  one.add_guards(nodes);
  return std::move(nodes.front().path);
}

}  // namespace

void proclaim::begin(engine::out& wants) {
  recipes::proclamation& says = among_->says;
  if (says.now() == recipes::proclamation::state::over || !among_->of->held_at(wants.session().now)) {
    told_->complete({errc::lost});
    wants.finish();
    return;
  }
  among_->callers.push_back({says.say(std::move(data_)), std::move(told_)});
  if (std::exchange(among_->driven, true)) {
    wants.finish();
  } else if (wants.session().connected) {
    send(wants);
  }
}

void proclaim::send(engine::out& wants) {
  if (among_->says.send()) {
    wants.request(of_own_node_set, client::request::set{wants.full(node_of(*among_->of)), among_->says.data(), -1});
  }
}

void proclaim::connected(engine::out& wants) {
  retry_.start_anew();
  send(wants);
}

void proclaim::disconnected(engine::out& wants) {
  wants.forget_requests();
  among_->says.disconnected();
}

void proclaim::reply(engine::tag, const client::reply_view& answer, engine::out& wants) {
  using state = recipes::proclamation::state;
  recipes::proclamation& says = among_->says;
  says.answered(answer.code);
  if (says.now() == state::over) {
    tell({errc::lost, answer.code}, wants);
    return;
  }
  const detail::failure why =
      answer.code == client::code::ok ? detail::failure{} : detail::failure{detail::error_of(answer.code), answer.code};
  auto& callers = among_->callers;
  std::erase_if(callers, [&](const proclamations::caller& one) {
    const bool mine = one.number <= says.answered_up_to();
    if (mine) {
      one.told->complete(why);
    }
    return mine;
  });
  if (says.now() == state::resting) {
    tell({}, wants);
  } else if (says.is_failing()) {
    retry_.failed(wants.session().now, wants.session().timeout);
  } else {
    send(wants);
  }
}

void proclaim::timer(engine::out& wants) {
  if (!among_->of->held_at(wants.session().now)) {
    tell({errc::lost}, wants);
  } else if (retry_.fired(wants.session().now) && wants.session().connected) {
    send(wants);
  }
}

std::optional<engine::instant> proclaim::due() const {
  const engine::instant end = among_->of->valid_until();
  return std::min(end, retry_.due().value_or(end));
}

void proclaim::session_over(const engine::session_end&, engine::out& wants) { tell({errc::lost}, wants); }

void proclaim::closed(std::error_code, engine::out& wants) { stop({errc::session_closed}, wants); }

void proclaim::stop(const detail::failure& why, engine::out& wants) {
  if (told_) {  // never begun
    told_->complete(why);
    wants.finish();
  } else {
    tell(why, wants);
  }
}

/// All that still wait; it ends.
void proclaim::tell(const detail::failure& why, engine::out& wants) {
  among_->driven = false;
  for (const proclamations::caller& one : std::exchange(among_->callers, {})) {
    one.told->complete(why);
  }
  wants.finish();
}

}  // namespace zklock::operations
