#include "src/operations/follow_node.hpp"

#include <utility>

#include <zklock/error.hpp>

namespace zklock::operations {
namespace {

using recipes::followed_node;

constexpr int polls_per_timeout = 12;
/// Of one of the two a watch stands, at most.
enum : engine::tag { value_asked, existence_asked };

}  // namespace

void follow_node::begin(engine::out& wants) {
  if (wants.session().connected) {
    connected(wants);
  }
}

void follow_node::connected(engine::out& wants) { ask(node_.connected(wants.session().proven), wants); }

void follow_node::disconnected(engine::out& wants) {
  node_.disconnected();
  ask(followed_node::command::none, wants);
}

void follow_node::session_over(const engine::session_end&, engine::out& wants) {
  node_.session_over();
  ask(followed_node::command::none, wants);
}

void follow_node::proven(engine::out& wants) {
  as_of_ = wants.session().now;
  ask(node_.proven(), wants);
}

void follow_node::reply(engine::tag as, const client::reply_view& answer, engine::out& wants) {
  if (recipes::answered_by_server(answer.code)) {
    as_of_ = wants.session().now;
  }
  const recipes::node_stat stat{answer.stat.version, answer.stat.czxid, answer.stat.mzxid};
  ask(as == value_asked ? node_.got(answer.code, stat, answer.data) : node_.looked(answer.code), wants);
}

void follow_node::watch_fired(engine::tag, client::node_event event, engine::out& wants) {
  ask(node_.fired(event == client::node_event::deleted), wants);
}

void follow_node::watch_refused(engine::tag, engine::out& wants) {
  node_.unwatched();
  if (!std::exchange(warned_, true)) {
    wants.log(
        {log_level::warning,
         "no room for a watch on " + wants.full(path_) + ": it is read again every twelfth of the session timeout",
         path_});
  }
}

void follow_node::timer(engine::out& wants) {
  due_.reset();
  waits_ = followed_node::pause::none;
  retry_.cancel();
  ask(node_.timer(), wants);
}

void follow_node::closed(std::error_code, engine::out& wants) { stop({errc::session_closed}, wants); }

void follow_node::stop(const detail::failure& why, engine::out& wants) {
  node_.disconnected();
  ask(followed_node::command::none, wants);
  if (wants.session().adopted && why.ec == errc::session_expired) {
    return;  // readopt()
  }
  told_->over(why.ec);
  wants.finish();
}

void follow_node::wrote(const recipes::node_stat& stat, std::string_view data, engine::out& wants) {
  as_of_ = wants.session().now;
  node_.wrote(stat, data);
  report(wants);
}

void follow_node::ask(followed_node::command what, engine::out& wants) {
  using command = followed_node::command;
  using pause = followed_node::pause;
  switch (what) {
    case command::none: break;
    case command::get:
      wants.forget_watch(existence_asked);
      wants.get_and_watch(value_asked, wants.full(path_));
      break;
    case command::exists:
      wants.forget_watch(value_asked);
      wants.exists_and_watch(existence_asked, wants.full(path_));
      break;
    case command::prove: wants.await_proof(); break;
  }
  if (node_.is_current()) {
    retry_.went_well();
  }
  if (const pause next = node_.waits(); next != waits_) {
    const auto timeout = wants.session().timeout;
    waits_ = next;
    switch (next) {
      case pause::none: due_.reset(); break;
      case pause::retry:
        retry_.failed(wants.session().now, timeout);
        due_ = retry_.due();
        break;
      case pause::poll: due_ = wants.session().now + timeout / polls_per_timeout; break;
      case pause::refused: due_ = wants.session().now + timeout; break;
    }
  }
  report(wants);
}

void follow_node::report(engine::out& wants) {
  const bool news = node_.known() != reported_.known || node_.stat() != reported_.stat ||
                    node_.data() != reported_.data || node_.is_current() != reported_.current ||
                    node_.why_refused() != reported_.why;
  if (news) {
    reported_ = {node_.known(), node_.stat(), node_.data(), node_.why_refused(), node_.is_current(), as_of_};
    told_->seen(reported_, wants);
  }
}

}  // namespace zklock::operations
