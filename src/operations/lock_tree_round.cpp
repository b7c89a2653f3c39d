#include "src/operations/lock_tree_round.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <zklock/error.hpp>

namespace zklock::detail {

using recipes::participants_round;

namespace {

/// Whether its node is ephemeral: persistent nodes have no owner, and containers this one.
bool is_a_clients(const recipes::seen_contender& one) noexcept {
  constexpr std::int64_t container = std::numeric_limits<std::int64_t>::min();
  return one.session != 0 && one.session != container;
}

std::string folder_of(const std::string& node) {
  const std::size_t slash = node.rfind('/');
  return slash == 0 ? "/" : node.substr(0, slash);
}

}  // namespace

lock_tree_round::lock_tree_round(recipes::lock_tree tree, std::int64_t session, bool with_access)
    : session_(session), with_access_(with_access), tree_(std::move(tree)) {}

// ---- what to ask for

/// The locks that were found come first: so few are kept half read.
std::optional<lock_tree_round::request> lock_tree_round::next() {
  if (state_ != state::under_way || under_way_.size() == requests_max) {
    return std::nullopt;
  }
  for (const lock_ptr& lock : unended_) {
    if (auto asked = next_of(lock)) {
      return asked;
    }
  }
  if (!access_to_ask_for_.empty()) {
    const access_request one = std::move(access_to_ask_for_.front());
    access_to_ask_for_.pop_front();
    under_way_.emplace_back([this, lock = one.lock, list = one.list](const client::reply_view& answer) {
      access_read(lock, list, answer);
    });
    return request{what::access, one.path};
  }
  const auto node = tree_.next();
  if (!node) {
    return std::nullopt;
  }
  under_way_.emplace_back([this, node](const client::reply_view& answer) { node_listed(*node, answer); });
  return request{what::children, node->path};
}

std::optional<lock_tree_round::request> lock_tree_round::next_of(const lock_ptr& lock) {
  if (std::exchange(lock->wants_limit, false)) {
    under_way_.emplace_back([this, lock](const client::reply_view& answer) {
      lock->queue.limit_read(answer.code, answer.data);
      note_if_ended(lock);
    });
    return request{what::data, lock->path};
  }
  if (const auto below = lock->queue.next_list()) {
    under_way_.emplace_back([this, lock](const client::reply_view& answer) {
      lock->queue.listed(answer.code, answer.children);
      note_if_ended(lock);
    });
    return request{what::children, lock->path + std::string(*below)};
  }
  if (const auto wanted = lock->queue.next_node()) {
    under_way_.emplace_back([this, lock, place = wanted->place](const client::reply_view& answer) {
      lock->queue.node_read(place, answer.code, {answer.stat.ephemeral_owner, answer.stat.czxid}, answer.data);
      note_if_ended(lock);
    });
    return request{wanted->whole ? what::data : what::stat, lock->path + "/" + lock->queue.name(wanted->place)};
  }
  return std::nullopt;
}

// ---- what comes back

void lock_tree_round::synced(client::code answer) {
  if (answer != client::code::ok) {
    fail(answer);
  }
}

void lock_tree_round::answered(const client::reply_view& answer) {
  if (state_ != state::under_way) {
    return;
  }
  const auto taken_by = std::move(under_way_.front());
  under_way_.pop_front();
  taken_by(answer);
  if (state_ == state::under_way && under_way_.empty() && unended_.empty() && access_to_ask_for_.empty() &&
      tree_.empty()) {
    state_ = state::complete;
  }
}

void lock_tree_round::node_listed(const recipes::tree_node& of, const client::reply_view& answer) {
  using recipes::tree_finding;
  const tree_finding found = tree_.listed(of, answer.code, answer.children);
  switch (found) {
    case tree_finding::no_lock: break;
    case tree_finding::lock:
    case tree_finding::lock_with_permits: {
      const auto lock = std::make_shared<found_lock>(
          found_lock{of.path, found == tree_finding::lock_with_permits, recipes::strangers_among(answer.children)});
      static_cast<void>(lock->queue.next_list());  // which is the walk's
      lock->queue.listed(answer.code, answer.children);
      unended_.push_back(lock);
      break;
    }
    case tree_finding::hidden: found_.push_back({of.path, errc::permission_denied}); break;
    case tree_finding::too_many_nodes: state_ = state::too_many_nodes; break;
    case tree_finding::failed: fail(answer.code); break;
  }
}

/// A queue whose one list was refused is still sent the answer to the other.
void lock_tree_round::note_if_ended(const lock_ptr& lock) {
  participants_round& queue = lock->queue;
  if (queue.now() == participants_round::state::under_way || unended_.remove(lock) == 0) {
    return;
  }
  if (queue.now() != participants_round::state::complete) {
    if (queue.failure() == client::code::no_auth) {
      found_.push_back({lock->path, errc::permission_denied});
    } else {
      fail(queue.failure());
    }
    return;
  }
  auto all = queue.take(session_);
  for (const recipes::seen_contender& one : all) {
    if (!is_a_clients(one) && one.name.find('/') == std::string::npos) {
      tree_.add(lock->path + "/" + one.name);  // clients wait behind it all the same, so it is listed, too
    }
  }
  if (!all.empty()) {
    const std::string first = lock->path + "/" + all.front().name;
    found_.push_back({lock->path, {}, std::move(all), queue.limit(), std::move(lock->strangers)});
    if (with_access_) {
      const std::size_t place = found_.size() - 1;
      access_to_ask_for_.push_back({place, &access_lists::of_folder, folder_of(first)});
      access_to_ask_for_.push_back({place, &access_lists::of_first, first});
    }
  }
}

/// A node that has gone, or whose list is not shown to us, has none here.
void lock_tree_round::access_read(std::size_t lock, std::vector<client::acl_entry> access_lists::*list,
                                  const client::reply_view& answer) {
  switch (answer.code) {
    case client::code::ok: (found_[lock].access.*list).assign(answer.acl.begin(), answer.acl.end()); break;
    case client::code::no_node:
    case client::code::no_auth: break;
    default: fail(answer.code); break;
  }
}

void lock_tree_round::fail(client::code answer) {
  failure_ = answer;
  state_ = recipes::classify(answer) == recipes::outcome::not_done ? state::refused : state::interrupted;
}

std::vector<lock_below> lock_tree_round::take() {
  std::sort(found_.begin(), found_.end(), [](const auto& one, const auto& other) { return one.path < other.path; });
  return std::move(found_);
}

}  // namespace zklock::detail
