#include "src/operations/conditional_write.hpp"

#include <algorithm>
#include <utility>

#include <zklock/error.hpp>

#include "recipes/unknown_write.hpp"

namespace zklock::operations {
namespace {

/// Behind commit's own.
enum : engine::tag { of_proving_write = 10, of_second_read, of_guards };

recipes::node_stat stat_of(const client::stat& seen) { return {seen.version, seen.czxid, seen.mzxid}; }

}  // namespace

conditional_write::conditional_write(std::vector<std::shared_ptr<detail::hold>> guards, write what,
                                     engine::instant until, std::shared_ptr<follow_node> shown,
                                     std::shared_ptr<receiver<transaction_result>> told)
    : commit(std::move(guards), {client::request::set{what.path, what.data, what.read.version}}, std::move(told)),
      what_(std::move(what)),
      until_(until),
      shown_(std::move(shown)) {}

void conditional_write::conclude(transaction_result&& with, engine::out& wants) {
  if (!unknown_ && with.failure.ec == errc::outcome_unknown && wants.session().now < until_) {
    unknown_ = std::move(with);
    if (wants.session().connected) {
      ask(wants);
    }
    return;
  }
  if (!with.failure.ec && shown_ != nullptr) {
    shown_->wrote(stat_of(with.results[0].stat), what_.data, wants);
  }
  commit::conclude(std::move(with), wants);
}

void conditional_write::ask(engine::out& wants) {
  wants.quorum_write(of_proving_write);
  wants.request(of_second_read, client::request::get{wants.full(what_.path), client::no_watch});
}

void conditional_write::connected(engine::out& wants) {
  if (unknown_) {
    retry_.start_anew();
    ask(wants);
  }
}

void conditional_write::disconnected(engine::out& wants) {
  if (unknown_) {
    wants.forget_requests();
    retry_.start_anew();
  }
}

void conditional_write::connection_closed(engine::out& wants) {
  if (!unknown_) {
    commit::connection_closed(wants);
  }
}

void conditional_write::session_over(const engine::session_end& end, engine::out& wants) {
  if (unknown_ && !end.confirmed) {
    leave_unknown(wants);
  }
}

void conditional_write::reply(engine::tag as, const client::reply_view& answer, engine::out& wants) {
  if (!unknown_) {
    commit::reply(as, answer, wants);
    return;
  }
  if (as == of_proving_write ? answer.code != client::code::ok
                             : recipes::classify(answer.code) != recipes::outcome::done) {
    if (recipes::classify(answer.code) == recipes::outcome::not_done) {
      leave_unknown(wants);
      return;
    }
    wants.forget_requests();
    retry_.failed(wants.session().now, wants.session().timeout);
  } else if (as == of_second_read) {
    judge_unknown_write(answer, wants);
  } else if (as == of_guards && guards_hold(wants.session().now)) {
    note_answered();
    conclude({{client::part_result{client::code::ok, {}, written_}}}, wants);
  } else if (as == of_guards) {
    leave_unknown(wants);
  }
}

void conditional_write::judge_unknown_write(const client::reply_view& answer, engine::out& wants) {
  using recipes::write_fate;
  switch (recipes::fate_of_write(what_.read, stat_of(answer.stat), answer.data == what_.data)) {
    case write_fate::not_applied:
      note_answered();
      commit::conclude({{}, {errc::version_mismatch, client::code::ok, transaction_failure::at::operation, 0}}, wants);
      break;
    case write_fate::looks_applied:
      if (is_guarded_exclusively()) {
        ask_for_guards(answer.stat, wants);
      } else {
        leave_unknown(wants);
      }
      break;
    case write_fate::unknown: leave_unknown(wants); break;
  }
}

void conditional_write::ask_for_guards(const client::stat& written, engine::out& wants) {
  client::request::multi checks = checks_of_guards(*wants.session().root);
  if (checks.operations.empty() || !guards_hold(wants.session().now)) {
    leave_unknown(wants);
    return;
  }
  written_ = written;
  wants.request(of_guards, std::move(checks));
}

void conditional_write::leave_unknown(engine::out& wants) { commit::conclude(std::move(*unknown_), wants); }

void conditional_write::timer(engine::out& wants) {
  if (unknown_ && until_ <= wants.session().now) {
    leave_unknown(wants);
  } else if (retry_.fired(wants.session().now) && wants.session().connected) {
    ask(wants);
  }
}

std::optional<engine::instant> conditional_write::due() const {
  return unknown_ ? std::optional(std::min(until_, retry_.due().value_or(until_))) : std::nullopt;
}

void conditional_write::stop(const detail::failure& why, engine::out& wants) {
  unknown_ ? leave_unknown(wants) : commit::stop(why, wants);
}

void conditional_write::closed(std::error_code, engine::out& wants) {
  if (unknown_) {
    leave_unknown(wants);
  }
}

}  // namespace zklock::operations
