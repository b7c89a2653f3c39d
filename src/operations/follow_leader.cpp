#include "src/operations/follow_leader.hpp"

namespace zklock::operations {
namespace {

/// Of one of the last four a watch stands, at most.
enum : engine::tag { of_list, of_children, of_path, of_first, of_stat_of_first };

}  // namespace

void follow_leader::reply(engine::tag as, const client::reply_view& answer, engine::out& wants) {
  if (recipes::answered_by_server(answer.code)) {
    vouched(wants);
  }
  switch (as) {
    case of_list:
    case of_children: go_on(machine_.listed(answer.code, answer.children), wants); break;
    case of_path: go_on(machine_.looked_for_path(answer.code), wants); break;
    default:
      go_on(machine_.got(answer.code, {.czxid = answer.stat.czxid,
                                       .mzxid = answer.stat.mzxid,
                                       .session = answer.stat.ephemeral_owner,
                                       .data = std::string(answer.data)}),
            wants);
  }
}

void follow_leader::send(command what, engine::out& wants) {
  for (const engine::tag one : {of_children, of_path, of_first, of_stat_of_first}) {
    wants.forget_watch(one);
  }
  switch (what) {
    case command::list: wants.request(of_list, client::request::list{wants.full(path_), client::no_watch}); break;
    case command::list_watch: wants.list_and_watch(of_children, wants.full(path_)); break;
    case command::exists_path: wants.exists_and_watch(of_path, wants.full(path_)); break;
    case command::get_first: wants.get_and_watch(of_first, wants.full(path_, machine_.asked_for())); break;
    case command::exists_first:
      wants.exists_and_watch(of_stat_of_first, wants.full(path_, machine_.asked_for()));
      break;
    case command::none:
    case command::prove: break;
  }
}

void follow_leader::report(engine::out& wants) {
  const bool news = machine_.known() != reported_.known || machine_.leader() != reported_.leader ||
                    machine_.is_current() != reported_.current || machine_.why_refused() != reported_.why;
  if (news) {
    reported_ = {common_report(), machine_.known(), machine_.leader()};
    told_->seen(reported_, wants);
  }
}

}  // namespace zklock::operations
