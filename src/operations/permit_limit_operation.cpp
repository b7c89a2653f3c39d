#include "src/operations/permit_limit_operation.hpp"

#include <string>
#include <utility>

#include <zklock/error.hpp>

#include "src/errors/error_of.hpp"
#include "src/errors/printable.hpp"
#include "src/operations/lock_node_making.hpp"

namespace zklock::operations {
namespace {

using recipes::limit_action;
namespace request = client::request;

struct limit_step {
  enum : engine::tag { synced, read, listed, stored, made, kept };
};

}  // namespace

permit_limit_operation::permit_limit_operation(std::shared_ptr<const detail::lock_target> semaphore,
                                               std::optional<std::uint32_t> to, instant until,
                                               std::shared_ptr<receiver<permit_limit_result>> told)
    : repeated(until), target_(std::move(semaphore)), decides_(to), told_(std::move(told)) {}

void permit_limit_operation::perform(limit_action what, engine::out& wants) {
  const std::string path = wants.full(target_->path);
  switch (what) {
    case limit_action::none: break;
    case limit_action::look:
      wants.request(limit_step::synced, request::sync{path});
      wants.request(limit_step::read, request::get{path, client::no_watch});
      if (decides_
              .changes()) {  // behind the data: a contender that comes after this list goes by them, or by later ones
        wants.request(limit_step::listed, request::list{path, client::no_watch});
      }
      break;
    case limit_action::keep_and_store:
      wants.request(limit_step::kept, limit_keeper_at(path, target_->acl));
      [[fallthrough]];
    case limit_action::store:
      wants.request(limit_step::stored, request::set{path, decides_.data(), decides_.version()});
      break;
    case limit_action::make_lock_node:
      making_ = request_creates({path, decides_.data(), true, target_->acl}, limit_step::made, wants);
      break;
    case limit_action::begin_later: ask_later(wants); break;
    case limit_action::finish: {
      const client::code answer = decides_.refused_with();
      const recipes::refusal why = decides_.why_refused();
      const bool other_data = why == recipes::refusal::not_a_permit_limit;
      complete({detail::error_of(why, answer), answer, decides_.limit(), as_of_,
                other_data ? detail::text_of_other_data(data_) : std::string()},
               wants);
      break;
    }
  }
}

void permit_limit_operation::reply(engine::tag as, const client::reply_view& answer, engine::out& wants) {
  switch (as) {
    case limit_step::synced: perform(decides_.synced(answer.code), wants); break;
    case limit_step::read:
      as_of_ = answer.stat.mzxid;
      data_ = detail::printable_bytes(answer.data);
      perform(decides_.read(answer.code, answer.data, answer.stat.version), wants);
      break;
    case limit_step::listed: perform(decides_.listed(answer.code, answer.children), wants); break;
    case limit_step::stored:
      as_of_ = answer.stat.mzxid;
      perform(decides_.stored(answer.code), wants);
      break;
    case limit_step::made:
      if (making_.answered(answer.code, wants)) {
        as_of_ = answer.stat.czxid;
        perform(decides_.made(making_.result(), making_.without_root()), wants);
      }
      break;
    default:
      if (auto warning = limit_keeper_warning(answer.code)) {
        wants.log({log_level::warning, std::move(*warning), target_->path});
      }
      break;
  }
}

/// What was written without an answer may be there all the same.
void permit_limit_operation::stop(const detail::failure& why, engine::out& wants) {
  complete({decides_.may_have_applied() ? make_error_code(errc::outcome_unknown) : why.ec, why.answer}, wants);
}

void permit_limit_operation::complete(const permit_limit_result& result, engine::out& wants) {
  told_->complete(result);
  wants.finish();
}

}  // namespace zklock::operations
