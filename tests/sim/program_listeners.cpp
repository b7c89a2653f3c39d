#include "tests/sim/program_listeners.hpp"

#include <utility>

namespace zklock::sim {
namespace {

std::shared_ptr<const detail::lock_target> target_at(const lock_plan& lock, std::string label) {
  auto made = std::make_shared<detail::lock_target>();
  made->path = lock.path;
  made->layout = lock.layout;
  made->payload = "\nlabel=" + label;
  made->label = std::move(label);
  made->acl = {client::acl_entry{}};
  return made;
}

recipes::contender_kind kind_of(detail::side of) {
  switch (of) {
    case detail::side::read: return recipes::contender_kind::read;
    case detail::side::write: return recipes::contender_kind::write;
    case detail::side::permits: return recipes::contender_kind::permit;
    case detail::side::whole: break;
  }
  return recipes::contender_kind::mutex;
}

std::vector<detail::wanted_part> parts_of(const std::vector<lock_plan>& locks, const std::vector<want>& wanted,
                                          int user, std::uint64_t attempt) {
  std::vector<detail::wanted_part> parts;
  for (const want& one : wanted) {
    const lock_plan& lock = locks[one.lock];
    const std::string label = label_of(user, attempt, in_turn(locks, wanted) ? 0 : wanted.size());
    parts.push_back(
        {target_at(lock, label), {kind_of(one.of), one.permits, lock.asserted ? lock.limit : 0, false, lock.layout}});
  }
  return parts;
}

using entry = transcript::entry;

}  // namespace

void program::ear::on_reply(client::request_id id, client::reply&& answer) {
  owner.core_->on_reply(generation, id, std::move(answer), owner.now());
  if (const auto held = owner.held()) {
    owner.told_.seen().note(entry::deadline, owner.number_, held->valid_until());
  }
}

void program::ear::on_node_event(client::watch_id id, client::node_event event) {
  owner.core_->on_node_event(generation, id, event, owner.now());
}

void program::ear::on_session_event(const client::session_event& event) {
  owner.core_->on_session_event(generation, event, owner.now());
}

void program::ear::on_closed(bool confirmed) { owner.core_->on_closed(generation, confirmed, owner.now()); }

program::attempt::attempt(program& whose, std::uint64_t which, std::vector<want> of, bool one_try,
                          std::optional<instant> limit)
    : acquisition(parts_of(whose.locks_, of, whose.number_, which), of.size() > 1, one_try, limit),
      owner(whose),
      number(which),
      wanted(std::move(of)) {}

void program::attempt::granted(std::shared_ptr<detail::hold> proof) noexcept {
  owner.told_.seen().note(entry::granted, owner.number_, number, *proof);
  owner.told_.granted(owner.number_, number, wanted, proof, owner.servers_);
  owner.granted(wanted, std::move(proof));
}

void program::attempt::refused(detail::failure why) noexcept {
  owner.told_.seen().note(entry::refused, owner.number_, number, why.ec, why.answer, why.path, why.detail);
  owner.told_.refused(owner.number_, number, why.ec, owner.now());
  owner.refused(why.ec);
}

void program::confirmation::released(std::error_code result, recipes::code answer) noexcept {
  owner.told_.seen().note(entry::released, owner.number_, result, answer);
  --owner.releases_under_way_;
  owner.told_.release_answered(owner.number_);
  owner.note("released" + (result ? ": " + result.message() : std::string()));
}

program::glance::glance(program& whose, std::size_t lock, instant limit)
    : inspection(target_at(whose.locks_[lock], ""), limit), owner(whose) {}

void program::glance::seen(std::vector<detail::seen_contender> queue) noexcept {
  const bool may_be_old = owner.servers_.with_deposed(owner.session_number());
  owner.told_.seen().note(entry::listed, owner.number_, queue.size());
  for (const detail::seen_contender& one : queue) {
    owner.told_.seen().add(owner.told_.seen().number_of_path(one.name));
    owner.told_.seen().add(one.czxid);
    owner.told_.seen().add(one.session);
    owner.told_.seen().add(one.told.label);
    owner.told_.seen().add(one.permits);
    owner.told_.seen().add(one.holds);
  }
  owner.told_.listings().answered(owner.number_, queue, owner.servers_, may_be_old);
  owner.looking_ = false;
  ++owner.looks_answered_;
  owner.queue_seen_.clear();
  std::string names;
  for (detail::seen_contender& one : queue) {
    names += " " + one.name;
    owner.queue_seen_.push_back(std::move(one.name));
  }
  owner.note("was told the queue:" + (names.empty() ? " nobody" : names));
}

void program::glance::refused(std::error_code why, recipes::code answer) noexcept {
  owner.told_.seen().note(entry::not_listed, owner.number_, why, answer);
  owner.told_.listings().refused(owner.number_, why, owner.now());
  owner.looking_ = false;
  owner.note("was not told the queue: " + why.message());
}

program::commit::commit(program& whose, int which, std::shared_ptr<detail::hold> guard)
    : transaction_request({std::move(guard)},
                          {client::request::create{std::string(written_path) + "/" + std::to_string(whose.number_) +
                                                       "-" + std::to_string(which) + "-",
                                                   "", client::create_mode::persistent_sequential}}),
      owner(whose),
      number(which) {}

void program::commit::answered(std::error_code why) {
  owner.told_.seen().note(entry::write_answered, owner.number_, number, why);
  owner.told_.writes().answered(owner.number_, number, why, owner.servers_);
  owner.writes_answered_.push_back(why);
  owner.note(why ? "did not write: " + why.message() : std::string("has written"));
}

program::new_limit::new_limit(program& whose, std::size_t lock, std::uint32_t to, instant limit)
    : limit_request(target_at(whose.locks_[lock], ""), to, limit), owner(whose) {}

void program::new_limit::answered(const detail::limit_answer& what) noexcept {
  owner.setting_limit_ = false;
  owner.told_.seen().note(entry::limit_answered, owner.number_, what.ec, what.answer, what.limit, what.as_of);
  owner.note(what.ec ? "the limit was not set: " + what.ec.message() : std::string("has set the limit"));
}

}  // namespace zklock::sim
