#include "recipes/node_life.hpp"

#include <algorithm>
#include <utility>

#include "recipes/assert.hpp"

namespace zklock::recipes {
namespace {

bool may_be_of(std::string_view prefix, std::string_view name) noexcept {
  return name.starts_with(prefix) && name.size() <= numbered_name::size_max;
}

/// Of the contender with that prefix, which has an id. Empty: it has none.
std::string_view node_of(std::string_view prefix, const event::listed& list) {
  if (list.index != nullptr) {
    const std::uint32_t place = list.index->place_of_prefix(prefix);
    return place != queue_index::none && may_be_of(prefix, list.children[place]) ? list.children[place]
                                                                                 : std::string_view();
  }
  const auto found = std::find_if(list.children.begin(), list.children.end(),
                                  [prefix](std::string_view child) { return may_be_of(prefix, child); });
  return found == list.children.end() ? std::string_view() : *found;
}

}  // namespace

node_life::node_life(std::string_view prefix, bool makes_lock_node, bool enlisted)
    : node_{.name = numbered_name::with_prefix(prefix)}, makes_lock_node_(makes_lock_node), enlisted_(enlisted) {}

bool node_life::waits_for_connection() const noexcept {
  return (state_ == state::idle && !enlisted_) || state_ == state::unsettled || state_ == state::unremoved;
}

bool node_life::has_node() const noexcept {
  switch (state_) {
    case state::settling:
    case state::entered:
    case state::missing:
    case state::held: return true;
    default: return false;
  }
}

decision node_life::connected(action_list& out) {
  switch (state_) {
    case state::idle: return enlisted_ ? decision{} : enter(false, out);
    case state::unsettled: return search(out);
    case state::unremoved: return {decision::kind::remove};
    default: return {};
  }
}

// ---- entering the queue ---------------------------------------------------------------------------------------------

decision node_life::enlisted() {
  action_list nothing;
  return state_ == state::idle && enlisted_ ? enter(false, nothing) : decision{};
}

/// Sent back to back with the look: in the session's order, so that the list has the new node.
decision node_life::enter(bool make_lock_node, action_list& out) {
  if (make_lock_node && !makes_lock_node_) {
    return refuse(refusal::no_permit_limit);
  }
  state_ = state::entering;
  node_.name.clear();
  made_ = code::ok;
  written_ = code::connection_loss;  // what has not been answered is unknown
  if (make_lock_node) {
    out.push(action::make_lock_node);
  }
  if (!enlisted_) {
    out.push(action::create_own);
  }
  return {decision::kind::look};
}

/// It is there already, or was reaped in between: the next create tells. Unless not even the topmost part has a parent.
void node_life::lock_node_made(const event::lock_node_made& answer) {
  const bool try_create = answer.code == code::node_exists || (answer.code == code::no_node && !answer.without_root);
  if (state_ == state::entering) {
    made_ = try_create ? code::ok : answer.code;
    forget_why();
  }
}

void node_life::created(const event::created& answer) {
  ZKLOCK_ASSERT(state_ == state::entering);
  written_ = answer.code;
  made_ = answer.code == code::no_node ? made_ : code::ok;
  forget_why();
  if (answer.code != code::ok) {
    return;
  }
  if (may_be_of(prefix(), answer.name) && parse_contender_name(answer.name)) {
    node_.name.assign(answer.name);
    node_.czxid = answer.token.czxid;
  } else {
    written_ = code::connection_loss;  // a name that is not whole: look for the node by its id (F81)
  }
}

decision node_life::entered(bool mixed_beside, action_list& out) {
  const code created = std::exchange(written_, code::ok);
  const code made = std::exchange(made_, code::ok);
  if (classify(created) == outcome::done) {
    state_ = state::entered;
    return {unwanted_ ? decision::kind::remove : decision::kind::decide};
  }
  if (classify(created) != outcome::not_done) {
    const bool session_expired = enlisted_ && !unwanted_ && created == code::session_expired;
    made_ = session_expired ? code::ephemeral_on_local_session : code::ok;
    state_ = state::unsettled;
    return {};
  }
  if (unwanted_ || enlisted_) {
    return {unwanted_ ? decision::kind::finish : decision::kind::start_over};
  }
  if (created != code::no_node) {  // it exists, with a random id in the name: the counter is stuck
    return refuse(created == code::node_exists ? refusal::exhausted : refusal::server_error, created);
  }
  if (mixed_beside) {  // before a lock node is left among their contenders
    return refuse(refusal::wrong_recipe);
  }
  switch (classify(made)) {
    case outcome::done: return enter(true, out);  // never made, or reaped in between (F06)
    case outcome::not_done: return refuse(refusal::server_error, made);
    default: state_ = state::unsettled; return {};  // not without a pause
  }
}

// ---- after an unknown outcome ---------------------------------------------------------------------------------------

decision node_life::search(action_list& out) {
  state_ = state::searching;
  node_.name.clear();
  written_ = code::connection_loss;  // what has not been answered is unknown
  // The server that answers now may not have applied the create yet (F04), or lead no more and not know it (F170).
  out.push(action::sync);
  out.push(action::share_list);  // sent behind the write: a crowd that searches has one list
  return {};
}

void node_life::synced(const event::synced& answer) { written_ = state_ == state::searching ? answer.code : written_; }

decision node_life::searched(const event::listed& list, action_list& out) {
  const code synced = std::exchange(written_, code::ok);
  const code failure = synced != code::ok ? synced : list.code;
  const bool no_lock_node = failure == code::no_node;
  if (failure != code::ok && !no_lock_node) {
    if (classify(failure) == outcome::not_done) {
      return refuse(refusal::server_error, failure);
    }
    state_ = state::unsettled;
    return {};
  }
  const std::string_view found = node_of(prefix(), list);
  const code refused = std::exchange(made_, code::ok);
  if (no_lock_node || found.empty()) {
    if (unwanted_) {
      return {decision::kind::finish};
    }
    // The quorum has just taken a write of the session that the transaction's answer says is over: so the leader, which
    // says that of a session unknown to it, has refused the ephemeral nodes of a local session (F194).
    if (refused != code::ok) {
      return refuse(refusal::server_error, refused);
    }
    return enlisted_ ? decision{decision::kind::start_over} : enter(no_lock_node, out);
  }
  node_.name.assign(found);
  if (unwanted_) {
    return {decision::kind::remove};
  }
  state_ = state::settling;
  return {decision::kind::watch_own};
}

// ---- the node stands ------------------------------------------------------------------------------------------------

void node_life::watch_own(action_list& out) {
  if (node_.watched == watch::none) {
    node_.watched = watch::asked;
    out.push(action::watch_own);
  }
}

decision node_life::own_watched(const event::own_watched& answer) {
  node_.watched = answered(answer.code);
  const code result = own_result(answer);
  if (result == code::ok) {
    node_.czxid = answer.token.czxid;  // a transaction has not told it
  }
  const bool gone = result == code::no_node;
  if (state_ == state::held) {
    return gone && node_.becomes.empty() ? decision{decision::kind::lose} : decision{};
  }
  if (state_ != state::settling) {
    return {};
  }
  switch (classify(result)) {
    case outcome::done: state_ = state::entered; return {decision::kind::look};
    case outcome::not_done: return gone ? decision{decision::kind::start_over} : refuse(refusal::server_error, result);
    default: state_ = state::unsettled; return {};
  }
}

/// Until the answer to a downgrade either node may stand: the going of one says nothing.
decision node_life::own_gone() {
  node_.watched = fired(node_.watched);
  if (!node_.becomes.empty()) {
    return {};
  }
  switch (state_) {
    case state::held: return {decision::kind::lose};
    case state::unremoved: return {decision::kind::finish};
    default: return {};
  }
}

void node_life::became_other(action_list& out) {
  node_.name.assign(std::exchange(node_.becomes, {}));
  drop_watch(out);  // the writer's has gone with it
  node_.watched = watch::none;
  watch_own(out);
}

void node_life::drop_watch(action_list& out) {
  if (node_.watched == watch::set) {
    node_.watched = watch::none;
    out.push(action::forget_own);
  }
}

// ---- leaving --------------------------------------------------------------------------------------------------------

void node_life::unwant() noexcept {
  unwanted_ = true;
  forget_why();
}

/// Why there is no node, only a caller that waits is told.
void node_life::forget_why() noexcept {
  if (unwanted_ || (enlisted_ && state_ == state::entering)) {
    written_ = classify(written_) == outcome::not_done ? code::no_node : written_;
    made_ = code::ok;
  }
}

void node_life::remove(action_list& out, bool stood) {
  if (stood) {
    written_ = code::connection_loss;
  } else if (state_ != state::removing && state_ != state::unremoved) {
    written_ = code::ok;
  }
  unwanted_ = true;
  node_.czxid = 0;
  state_ = state::removing;
  out.push(action::remove_own);
}

decision node_life::removed(const event::removed& answer, action_list& out) {
  if (state_ != state::removing) {
    return {};
  }
  const outcome what = classify(answer.code);
  if (what != outcome::done && what != outcome::not_done) {
    state_ = state::unremoved;
    written_ = what == outcome::unknown ? code::connection_loss : written_;
    return {};
  }
  if (answer.code == code::no_node && !node_.becomes.empty()) {
    node_.name.assign(std::exchange(node_.becomes, {}));  // the downgrade was done, as the writer's going tells
    remove(out);
    return {};
  }
  // Where the server forbids it, the node stays until its session ends. One that is gone was removed by another client
  // (F182), unless an earlier request of its own may have.
  const bool by_itself = std::exchange(written_, code::ok) != code::ok;
  return {.is = decision::kind::finish, .with = answer.code == code::no_node && by_itself ? code::ok : answer.code};
}

void node_life::finish() noexcept {
  state_ = state::finished;
  node_.becomes.clear();
  node_.czxid = 0;
  node_.watched = watch::none;
  unwanted_ = true;
  written_ = made_ = code::ok;
}

}  // namespace zklock::recipes
