#pragma once

#include "tests/sim/program.hpp"

namespace zklock::sim {

// What a program hears with: one for each of its connections, and one for whatever it asks of its session. Each tells the
// checkers first, then its program.

struct program::ear final : client::observer {
  ear(program& whose, std::uint64_t which) : owner(whose), generation(which) {}
  void on_reply(client::request_id id, client::reply&& answer) override;
  void on_node_event(client::watch_id id, client::node_event event) override;
  void on_session_event(const client::session_event& event) override;
  void on_closed(bool confirmed) override;
  program& owner;
  const std::uint64_t generation;
};

struct program::attempt final : detail::acquisition {
  attempt(program& whose, std::uint64_t which, std::vector<want> of, bool one_try, std::optional<instant> limit);
  void granted(std::shared_ptr<detail::hold> proof) noexcept override;
  void refused(detail::failure why) noexcept override;
  program& owner;
  const std::uint64_t number;
  const std::vector<want> wanted;
};

struct program::confirmation final : detail::release_listener {
  explicit confirmation(program& whose) : owner(whose) {}
  void released(std::error_code result, recipes::code) noexcept override;
  program& owner;
};

struct program::glance final : detail::inspection {
  glance(program& whose, std::size_t lock, instant limit);
  void seen(std::vector<detail::seen_contender> queue) noexcept override;
  void refused(std::error_code why, recipes::code) noexcept override;
  program& owner;
};

struct program::commit final : detail::transaction_request {
  commit(program& whose, int which, std::shared_ptr<detail::hold> guard);
  void applied(std::vector<client::part_result>) noexcept override { answered({}); }
  void failed(const detail::transaction_failure& why) noexcept override { answered(why.ec); }
  void answered(std::error_code why);
  program& owner;
  const int number;
};

struct program::new_limit final : detail::limit_request {
  new_limit(program& whose, std::size_t lock, std::uint32_t to, instant limit);
  void answered(const detail::limit_answer& what) noexcept override;
  program& owner;
};

}  // namespace zklock::sim
