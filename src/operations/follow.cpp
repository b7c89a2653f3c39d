#include "src/operations/follow.hpp"

#include <zklock/error.hpp>

#include "recipes/leader_watch.hpp"

namespace zklock::operations {
namespace {

constexpr int polls_per_timeout = 12;

}  // namespace

template <class Machine>
void follow<Machine>::begin(engine::out& wants) {
  if (wants.session().connected) {
    connected(wants);
  }
}

template <class Machine>
void follow<Machine>::connected(engine::out& wants) {
  go_on(machine_.connected(wants.session().proven), wants);
}

template <class Machine>
void follow<Machine>::disconnected(engine::out& wants) {
  machine_.disconnected();
  go_on(command::none, wants);
}

template <class Machine>
void follow<Machine>::session_over(const engine::session_end&, engine::out& wants) {
  machine_.session_over();
  go_on(command::none, wants);
}

template <class Machine>
void follow<Machine>::proven(engine::out& wants) {
  vouched(wants);
  go_on(machine_.proven(), wants);
}

template <class Machine>
void follow<Machine>::watch_fired(engine::tag, client::node_event event, engine::out& wants) {
  go_on(machine_.fired(event == client::node_event::deleted), wants);
}

template <class Machine>
void follow<Machine>::watch_refused(engine::tag, engine::out& wants) {
  machine_.unwatched();
  if (!std::exchange(warned_, true)) {
    wants.log(
        {log_level::warning,
         "no room for a watch on " + wants.full(path_) + ": it is read again every twelfth of the session timeout",
         path_});
  }
}

template <class Machine>
void follow<Machine>::timer(engine::out& wants) {
  due_.reset();
  waits_ = pause::none;
  retry_.cancel();
  go_on(machine_.timer(), wants);
}

template <class Machine>
void follow<Machine>::closed(std::error_code, engine::out& wants) {
  stop({errc::session_closed}, wants);
}

template <class Machine>
void follow<Machine>::stop(const detail::failure& why, engine::out& wants) {
  machine_.disconnected();
  go_on(command::none, wants);
  if (wants.session().adopted && why.ec == errc::session_expired) {
    return;  // readopt()
  }
  over(why.ec, wants);
  wants.finish();
}

template <class Machine>
void follow<Machine>::go_on(command what, engine::out& wants) {
  if (what == command::prove) {
    wants.await_proof();
  } else if (what != command::none) {
    send(what, wants);
  }
  if (machine_.is_current()) {
    retry_.went_well();
  }
  if (const pause next = machine_.waits(); next != waits_) {
    waits_ = next;
    pace(wants.session());
  }
  report(wants);
}

template <class Machine>
void follow<Machine>::pace(const engine::session_facts& in) {
  switch (waits_) {
    case pause::none: due_.reset(); break;
    case pause::retry:
      retry_.failed(in.now, in.timeout);
      due_ = retry_.due();
      break;
    case pause::poll: due_ = in.now + in.timeout / polls_per_timeout; break;
    case pause::refused: due_ = in.now + in.timeout; break;
  }
}

template class follow<recipes::followed_node>;
template class follow<recipes::leader_watch>;

}  // namespace zklock::operations
