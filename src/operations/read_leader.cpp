#include "src/operations/read_leader.hpp"

#include "src/errors/error_of.hpp"

namespace zklock::operations {
namespace {

enum : engine::tag { of_proof_of_leader, of_list_of_candidates, of_leader, of_stat_of_leader };

using value = recipes::leader_watch::value;

}  // namespace

void read_leader::ask(engine::out& wants) {
  wants.quorum_write(of_proof_of_leader);
  list(wants);
}

void read_leader::list(engine::out& wants) {
  wants.request(of_list_of_candidates, client::request::list{wants.full(path_), client::no_watch});
}

void read_leader::reply(engine::tag as, const client::reply_view& answer, engine::out& wants) {
  const recipes::outcome what = recipes::classify(answer.code);
  if (as == of_proof_of_leader) {
    if (what != recipes::outcome::done) {
      ask_later(wants);
    }
  } else if (answer.code == client::code::no_node) {
    as == of_list_of_candidates ? complete({value::absent}, wants) : list(wants);  // the first has gone meanwhile
  } else if (as == of_leader && answer.code == client::code::no_auth) {
    wants.request(of_stat_of_leader, client::request::exists{wants.full(path_, first_), client::no_watch});
  } else if (what == recipes::outcome::not_done) {
    stop({detail::error_of(answer.code), answer.code}, wants);
  } else if (what != recipes::outcome::done) {
    ask_later(wants);
  } else if (as == of_list_of_candidates) {
    listed(answer, wants);
  } else {
    complete({value::present,
              {.node = first_,
               .czxid = answer.stat.czxid,
               .mzxid = answer.stat.mzxid,
               .session = answer.stat.ephemeral_owner,
               .hidden = as == of_stat_of_leader,
               .data = std::string(answer.data)}},
             wants);
  }
}

void read_leader::listed(const client::reply_view& answer, engine::out& wants) {
  const recipes::first_candidate first = recipes::first_candidate_of(answer.children);
  switch (first.is) {
    case recipes::first_candidate::finding::none: complete({value::absent}, wants); break;
    case recipes::first_candidate::finding::mixed: complete({value::mixed}, wants); break;
    case recipes::first_candidate::finding::found:
      first_ = first.name;
      wants.request(of_leader, client::request::get{wants.full(path_, first_), client::no_watch});
  }
}

void read_leader::complete(read_leader_result&& with, engine::out& wants) {
  told_->complete(std::move(with));
  wants.finish();
}

void read_leader::stop(const detail::failure& why, engine::out& wants) { complete({.why = why}, wants); }

}  // namespace zklock::operations
