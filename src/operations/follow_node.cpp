#include "src/operations/follow_node.hpp"

namespace zklock::operations {
namespace {

/// Of one of the two a watch stands, at most.
enum : engine::tag { value_asked, existence_asked };

}  // namespace

void follow_node::reply(engine::tag as, const client::reply_view& answer, engine::out& wants) {
  if (recipes::answered_by_server(answer.code)) {
    vouched(wants);
  }
  const recipes::node_stat stat{answer.stat.version, answer.stat.czxid, answer.stat.mzxid};
  go_on(as == value_asked ? machine_.got(answer.code, stat, answer.data) : machine_.looked(answer.code), wants);
}

void follow_node::wrote(const recipes::node_stat& stat, std::string_view data, engine::out& wants) {
  vouched(wants);
  machine_.wrote(stat, data);
  report(wants);
}

void follow_node::send(command what, engine::out& wants) {
  if (what == command::get) {
    wants.forget_watch(existence_asked);
    wants.get_and_watch(value_asked, wants.full(path_));
  } else {
    wants.forget_watch(value_asked);
    wants.exists_and_watch(existence_asked, wants.full(path_));
  }
}

void follow_node::report(engine::out& wants) {
  const bool news = machine_.known() != reported_.known || machine_.stat() != reported_.stat ||
                    machine_.data() != reported_.data || machine_.is_current() != reported_.current ||
                    machine_.why_refused() != reported_.why;
  if (news) {
    reported_ = {common_report(), machine_.known(), machine_.stat(), machine_.data()};
    told_->seen(reported_, wants);
  }
}

}  // namespace zklock::operations
