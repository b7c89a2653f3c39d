#include "src/operations/locks_below.hpp"

#include <utility>

#include <zklock/error.hpp>

#include "src/errors/error_of.hpp"

namespace zklock::operations {
namespace {

using detail::lock_tree_round;
namespace request = client::request;

enum step : engine::tag { synced, read };

std::string node_at(const std::string& path, const engine::out& wants) {
  std::string whole = wants.full(path);
  return whole.empty() ? "/" : whole;
}

client::any_request request_for(const lock_tree_round::request& asked, const engine::out& wants) {
  std::string path = node_at(asked.path, wants);
  switch (asked.of) {
    case lock_tree_round::what::children: return request::list{std::move(path)};
    case lock_tree_round::what::data: return request::get{std::move(path)};
    case lock_tree_round::what::access: return request::get_acl{std::move(path)};
    case lock_tree_round::what::stat: break;
  }
  return request::exists{std::move(path)};
}

}  // namespace

locks_below::locks_below(std::string top, instant until, std::shared_ptr<receiver<locks_below_result>> told,
                         locks_below_options options)
    : repeated(until), top_(std::move(top)), told_(std::move(told)), options_(std::move(options)) {}

void locks_below::ask(engine::out& wants) {
  const bool in_chroot = !wants.session().root->empty();  // what is named `zookeeper` there is the user's
  round_.emplace(recipes::lock_tree(top_, recipes::lock_tree::nodes_max, in_chroot), wants.session().id,
                 options_.with_access);
  wants.request(synced, request::sync{node_at(top_, wants)});
  go_on(wants);
}

void locks_below::forget_try() noexcept {
  if (round_) {
    seen_ = round_->seen();
    round_.reset();
  }
}

void locks_below::reply(engine::tag as, const client::reply_view& answer, engine::out& wants) {
  if (as == synced) {
    round_->synced(answer.code);
  } else {
    round_->answered(answer);
  }
  go_on(wants);
}

void locks_below::go_on(engine::out& wants) {
  if (options_.progress) {
    options_.progress->store(round_->seen(), std::memory_order_relaxed);
  }
  switch (round_->now()) {
    case lock_tree_round::state::under_way:
      while (const auto next = round_->next()) {
        wants.request(read, request_for(*next, wants));
      }
      break;
    case lock_tree_round::state::complete: complete({round_->take(), {}}, wants); break;
    case lock_tree_round::state::interrupted: ask_later(wants); break;
    case lock_tree_round::state::refused: stop({detail::error_of(round_->failure()), round_->failure()}, wants); break;
    case lock_tree_round::state::too_many_nodes:
      stop({errc::too_many_nodes, {}, {}, "more than " + std::to_string(recipes::lock_tree::nodes_max) + " nodes"},
           wants);
      break;
  }
}

void locks_below::stop(const detail::failure& why, engine::out& wants) {
  detail::failure told = why;
  if (told.ec == errc::not_connected) {
    forget_try();
    told.detail = "after " + std::to_string(seen_) + " nodes";
  }
  complete({{}, std::move(told)}, wants);
}

void locks_below::complete(locks_below_result&& result, engine::out& wants) {
  told_->complete(std::move(result));
  wants.finish();
}

}  // namespace zklock::operations
