#include "src/operations/participants.hpp"

#include <cstddef>
#include <string>
#include <utility>

#include "src/errors/error_of.hpp"

namespace zklock::operations {
namespace {

using recipes::queue_reading;
namespace request = client::request;

/// What is asked; from `first_node` on: for the node at that place of the queue.
enum step : engine::tag { synced, limit, list, first_node };

}  // namespace

participants::participants(std::shared_ptr<const detail::lock_target> lock, instant until,
                           const recipes::sought_contenders& of, std::shared_ptr<receiver<participants_result>> told)
    : repeated(until), target_(std::move(lock)), sought_(of), told_(std::move(told)) {}

void participants::ask(engine::out& wants) {
  reading_.emplace(sought_);
  const std::string path = wants.full(target_->path);
  wants.request(synced, request::sync{path});
  if (reading_->reads_limit()) {
    wants.request(limit, request::get{path, client::no_watch});
  }
  list_further(wants);
}

void participants::reply(engine::tag as, client::reply&& answer, engine::out& wants) {
  switch (as) {
    case synced: reading_->synced(answer.code); break;
    case limit: reading_->limit_read(answer.code, answer.data); break;
    case list: reading_->listed(answer.code, std::move(answer.children)); break;
    default:
      reading_->looked(as - first_node, answer.code, {answer.stat.ephemeral_owner, answer.stat.czxid}, answer.data);
      break;
  }
  go_on(wants);
}

void participants::go_on(engine::out& wants) {
  switch (reading_->now()) {
    case queue_reading::state::under_way:
      list_further(wants);
      look_further(wants);
      break;
    case queue_reading::state::complete:
      complete({reading_->take(wants.session().id), reading_->limit(), {}, client::code::ok}, wants);
      break;
    case queue_reading::state::refused:
      stop({detail::error_of(reading_->failure()), reading_->failure()}, wants);
      break;
    case queue_reading::state::interrupted: ask_later(wants); break;
  }
}

void participants::list_further(engine::out& wants) {
  while (const auto below = reading_->next_list()) {
    wants.request(list, request::list{wants.full(target_->path) + std::string(*below), client::no_watch});
  }
}

void participants::look_further(engine::out& wants) {
  while (const auto next = reading_->next_look()) {
    const std::string path = wants.full(target_->path) + "/" + reading_->name(next->place);
    if (next->whole) {
      wants.request(first_node + next->place, request::get{path, client::no_watch});
    } else {
      wants.request(first_node + next->place, request::exists{path, client::no_watch});
    }
  }
}

void participants::stop(const detail::failure& why, engine::out& wants) {
  complete({{}, {}, why.ec, why.answer}, wants);
}

void participants::complete(participants_result&& result, engine::out& wants) {
  told_->complete(std::move(result));
  wants.finish();
}

}  // namespace zklock::operations
