#include "src/operations/participants_query.hpp"

#include <cstddef>
#include <string>
#include <utility>

#include "src/errors/error_of.hpp"

namespace zklock::operations {
namespace {

using recipes::participants_round;
namespace request = client::request;

/// What is asked; from `first_node` on: for the node at that place of the queue.
struct query_step {
  enum : engine::tag { synced, limit, list, first_node };
};

}  // namespace

participants_query::participants_query(std::shared_ptr<const detail::lock_target> lock, instant until,
                                       const recipes::sought_contenders& of,
                                       std::shared_ptr<receiver<participants_result>> told)
    : repeated(until), target_(std::move(lock)), sought_(of), told_(std::move(told)) {}

void participants_query::ask(engine::out& wants) {
  round_.emplace(sought_);
  const std::string path = wants.full(target_->path);
  wants.request(query_step::synced, request::sync{path});
  if (round_->reads_limit()) {
    wants.request(query_step::limit, request::get{path, client::no_watch});
  }
  list_further(wants);
}

void participants_query::reply(engine::tag as, const client::reply_view& answer, engine::out& wants) {
  switch (as) {
    case query_step::synced: round_->synced(answer.code); break;
    case query_step::limit: round_->limit_read(answer.code, answer.data); break;
    case query_step::list: round_->listed(answer.code, answer.children); break;
    default:
      round_->node_read(as - query_step::first_node, answer.code, {answer.stat.ephemeral_owner, answer.stat.czxid},
                        answer.data);
      break;
  }
  go_on(wants);
}

void participants_query::go_on(engine::out& wants) {
  switch (round_->now()) {
    case participants_round::state::under_way:
      list_further(wants);
      read_further(wants);
      break;
    case participants_round::state::complete:
      complete({round_->take(wants.session().id), round_->limit(), {}, client::code::ok}, wants);
      break;
    case participants_round::state::refused:
      stop({detail::error_of(round_->failure()), round_->failure()}, wants);
      break;
    case participants_round::state::interrupted: ask_later(wants); break;
  }
}

void participants_query::list_further(engine::out& wants) {
  while (const auto below = round_->next_list()) {
    wants.request(query_step::list, request::list{wants.full(target_->path) + std::string(*below), client::no_watch});
  }
}

void participants_query::read_further(engine::out& wants) {
  while (const auto next = round_->next_node()) {
    const std::string path = wants.full(target_->path) + "/" + round_->name(next->place);
    const auto as = static_cast<engine::tag>(query_step::first_node + next->place);
    if (next->whole) {
      wants.request(as, request::get{path, client::no_watch});
    } else {
      wants.request(as, request::exists{path, client::no_watch});
    }
  }
}

void participants_query::stop(const detail::failure& why, engine::out& wants) {
  complete({{}, {}, why.ec, why.answer}, wants);
}

void participants_query::complete(participants_result&& result, engine::out& wants) {
  told_->complete(std::move(result));
  wants.finish();
}

}  // namespace zklock::operations
