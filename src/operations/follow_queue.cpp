#include "src/operations/follow_queue.hpp"

#include <algorithm>
#include <utility>

#include <zklock/error.hpp>

namespace zklock::operations {
namespace {

using client::code;
using recipes::seen_contender;

constexpr std::chrono::nanoseconds between_lists = std::chrono::seconds(1);
constexpr std::chrono::nanoseconds between_polls = std::chrono::seconds(10);

/// Behind those of the lists. Each node that is asked for has one of its own, above `of_limit`.
enum : engine::tag { of_path_itself = 3, of_limit };

/// Whether what its node says may change while it stands in the queue: who holds depends on it.
bool may_change(const seen_contender& one) {
  const bool native = one.as == recipes::layout::native;
  return native && (one.kind == recipes::contender_kind::write || one.kind == recipes::contender_kind::permit ||
                    one.told.mode == recipes::contender_mode::read);
}

}  // namespace

follow_queue::follow_queue(std::string path, std::size_t shown, std::shared_ptr<queue_listener> told)
    : path_(std::move(path)),
      shown_(shown),
      told_(std::move(told)),
      lists_{{{""}, {recipes::curator_locks}, {recipes::curator_leases}}},
      last_tag_(of_limit) {}

void follow_queue::show(std::size_t shown, engine::out& wants) {
  shown_ = shown;
  go_on(wants);
  report(wants);
}

void follow_queue::begin(engine::out& wants) {
  if (wants.session().connected) {
    connected(wants);
  }
}

void follow_queue::connected(engine::out& wants) {
  for (list& one : lists_) {
    one.wanted = one.below.empty() || seen_.has_leases();
  }
  limit_wanted_ = true;
  why_ = code::ok;
  go_on(wants);
}

void follow_queue::disconnected(engine::out& wants) {
  wants.forget_requests();
  for (list& one : lists_) {
    one.under_way = false;
  }
  limit_under_way_ = false;
  std::erase_if(nodes_, [](const auto& one) { return one.second.under_way; });
  seen_.miss_grants();
  const bool news = std::exchange(current_, false);
  due_.reset();
  if (news) {
    report(wants);
  }
}

/// The watches are gone: what they would have told is read again.
void follow_queue::session_over(const engine::session_end&, engine::out&) {
  nodes_.clear();
  seen_.forget_all_nodes();
}

void follow_queue::reply(engine::tag as, const client::reply_view& answer, engine::out& wants) {
  if (as < lists_.size()) {
    list_answered(lists_[as], answer, wants);
  } else if (as == of_path_itself) {
    lists_[0].wanted = answer.code != code::no_node;  // it has come meanwhile, or it is not known
  } else if (as == of_limit) {
    limit_under_way_ = false;
    seen_.limit_read(answer.code == code::ok ? std::optional(std::string(answer.data)) : std::nullopt);
  } else {
    node_answered(as, answer);
  }
  go_on(wants);
  report(wants);
}

void follow_queue::list_answered(list& of, const client::reply_view& answer, engine::out& wants) {
  of.under_way = false;
  of.absent = answer.code == code::no_node;
  if (answer.code != code::ok && !of.absent) {
    if (recipes::classify(answer.code) == recipes::outcome::not_done) {
      why_ = answer.code;
    } else {
      of.wanted = true;
    }
    return;
  }
  why_ = code::ok;
  current_ = true;
  of.wanted = of.wanted || (unwatched_ && !of.absent);
  seen_.listed(of.below, of.absent ? recipes::names_view() : answer.children);
  if (of.below.empty()) {
    path_wanted_ = of.absent;
    for (list& one : lists_) {
      one.wanted = one.wanted || (!one.below.empty() && seen_.has_leases() && (one.absent || one.free_at.count() == 0));
    }
  }
  forget_gone_nodes(wants);
}

void follow_queue::node_answered(engine::tag as, const client::reply_view& answer) {
  const auto found = std::find_if(nodes_.begin(), nodes_.end(), [as](const auto& one) { return one.second.as == as; });
  if (found != nodes_.end()) {
    found->second.under_way = false;
    seen_.node_read(found->first, answer.code, {answer.stat.ephemeral_owner, answer.stat.czxid}, answer.data);
  }
}

void follow_queue::forget_gone_nodes(engine::out& wants) {
  std::erase_if(nodes_, [&](const auto& one) {
    const bool gone = !one.second.under_way && !seen_.is_read(one.first);
    if (gone) {
      wants.forget_watch(one.second.as);
    }
    return gone;
  });
}

void follow_queue::watch_fired(engine::tag as, client::node_event event, engine::out& wants) {
  if (as < lists_.size()) {
    lists_[as].wanted = true;
  } else if (as == of_path_itself) {
    lists_[0].wanted = true;
  } else if (as == of_limit) {
    limit_wanted_ = true;
  } else if (event != client::node_event::deleted) {  // that is told by the list
    const auto found =
        std::find_if(nodes_.begin(), nodes_.end(), [as](const auto& one) { return one.second.as == as; });
    if (found != nodes_.end()) {
      seen_.forget_node(found->first);
      nodes_.erase(found);
    }
  }
  go_on(wants);
}

void follow_queue::watch_refused(engine::tag as, engine::out& wants) {
  unwatched_ = true;
  if (as < lists_.size()) {
    lists_[as].free_at = wants.session().now + between_polls;
  }
}

void follow_queue::closed(std::error_code, engine::out& wants) { stop({errc::session_closed}, wants); }

void follow_queue::stop(const detail::failure& why, engine::out& wants) {
  told_->over(why.ec, wants);
  wants.finish();
}

void follow_queue::go_on(engine::out& wants) {
  due_.reset();
  if (!wants.session().connected || why_ != code::ok) {
    return;
  }
  const engine::instant now = wants.session().now;
  while (pace_.free_at() <= now && send_next(wants)) {
    pace_.sent(now);
  }
  due_ = next_due(now);
}

bool follow_queue::send_next(engine::out& wants) {
  if (send_list(wants)) {
    return true;
  }
  if (std::exchange(path_wanted_, false)) {
    wants.exists_and_watch(of_path_itself, wants.full(path_));
    return true;
  }
  if (limit_wanted_ && !limit_under_way_ && seen_.has_permits()) {
    limit_wanted_ = false;
    limit_under_way_ = true;
    wants.get_and_watch(of_limit, wants.full(path_));
    return true;
  }
  return read_next(wants);
}

bool follow_queue::send_list(engine::out& wants) {
  const engine::instant now = wants.session().now;
  const auto next = std::find_if(lists_.begin(), lists_.end(),
                                 [now](const list& one) { return one.wanted && !one.under_way && one.free_at <= now; });
  if (next == lists_.end()) {
    return false;
  }
  next->wanted = false;
  next->under_way = true;
  next->free_at = now + between_lists;
  wants.list_and_watch(static_cast<engine::tag>(next - lists_.begin()), wants.full(path_) + std::string(next->below));
  return true;
}

bool follow_queue::read_next(engine::out& wants) {
  const seen_contender* const next = first_unread();
  if (next == nullptr) {
    return false;
  }
  const node unread{++last_tag_};
  nodes_.emplace(next->name, unread);
  if (may_change(*next)) {
    wants.get_and_watch(unread.as, wants.full(path_, next->name));
  } else {
    wants.request(unread.as, client::request::get{wants.full(path_, next->name), client::no_watch});
  }
  return true;
}

std::optional<engine::instant> follow_queue::next_due(engine::instant now) const {
  std::optional<engine::instant> due;
  const auto add = [&due](engine::instant at) { due = due ? std::min(*due, at) : at; };
  for (const list& one : lists_) {
    if (one.wanted && !one.under_way) {
      add(one.free_at);
    }
  }
  if (path_wanted_ || (limit_wanted_ && !limit_under_way_ && seen_.has_permits()) || first_unread() != nullptr) {
    add(now);
  }
  return due ? std::optional(std::max(*due, pace_.free_at())) : std::nullopt;
}

std::span<const seen_contender> follow_queue::first() const {
  return seen_.queue().first(std::min(shown_, seen_.queue().size()));
}

const seen_contender* follow_queue::first_unread() const {
  const auto all = first();
  const auto found = std::find_if(all.begin(), all.end(), [this](const seen_contender& one) {
    return !seen_.is_read(one.name) && !nodes_.contains(one.name);
  });
  return found == all.end() ? nullptr : &*found;
}

/// The lists, and what says who holds but for downgrades further on.
bool follow_queue::knows_holders() const {
  const auto all = seen_.queue();
  return current_ && (all.empty() || shown_ == 0 || seen_.is_read(all.front().name)) && !limit_under_way_ &&
         !(limit_wanted_ && seen_.has_permits()) &&
         (!seen_.has_leases() || std::all_of(lists_.begin(), lists_.end(), [](const list& one) {
           return one.free_at.count() != 0 && !one.under_way;
         }));
}

void follow_queue::report(engine::out& wants) {
  const auto all = first();
  const bool complete = knows_holders() && std::all_of(all.begin(), all.end(), [this](const seen_contender& one) {
                          return seen_.is_read(one.name);
                        });
  if (knows_holders()) {
    seen_.count_grants();
  }
  told_->seen({current_,
               why_,
               complete,
               {all.begin(), all.end()},
               seen_.holders(),
               seen_.queue().size() - seen_.holders(),
               seen_.limit(),
               seen_.grants()},
              wants);
}

}  // namespace zklock::operations
