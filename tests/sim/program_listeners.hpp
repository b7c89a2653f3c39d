#pragma once

#include "src/operations/commit.hpp"
#include "src/operations/conditional_write.hpp"
#include "src/operations/follow_leader.hpp"
#include "src/operations/follow_node.hpp"
#include "src/operations/participants_query.hpp"
#include "src/operations/permit_limit_operation.hpp"
#include "src/operations/proclaim.hpp"
#include "src/operations/read_node.hpp"
#include "tests/sim/program.hpp"

namespace zklock::sim {

// What a program hears with: one for each of its connections, and one for whatever it asks of its session. Each tells the
// checkers first, then its program.

struct program::ear final : client::observer {
  ear(program& whose, std::uint64_t which) : owner(whose), generation(which) {}
  void on_reply(client::request_id id, const client::reply_view& answer) override;
  void on_node_event(client::watch_id id, client::node_event event) override;
  void on_session_event(const client::session_event& event) override;
  void on_closed(bool confirmed) override;
  program& owner;
  const std::uint64_t generation;
};

struct program::attempt final : operations::receiver<operations::acquire_result>,
                                std::enable_shared_from_this<program::attempt> {
  attempt(program& whose, std::uint64_t which, std::vector<want> of, std::optional<instant> limit)
      : owner(whose), number(which), wanted(std::move(of)), until(limit) {}
  void complete(operations::acquire_result result) noexcept override;
  [[nodiscard]] std::shared_ptr<operations::acquire> call(bool once);
  program& owner;
  const std::uint64_t number;
  const std::vector<want> wanted;
  const std::optional<instant> until;
};

struct program::turn final : operations::receiver<operations::turn_wait_result>, detail::queued_call {
  turn(program& whose, user_action wanted) : owner(whose), what(std::move(wanted)) {}
  void wake() noexcept override;
  void complete(operations::turn_wait_result result) noexcept override;
  program& owner;
  const user_action what;
  std::shared_ptr<operations::turn_wait> wait{};
};

struct program::confirmation final : operations::release_receiver {
  confirmation(program& whose, std::shared_ptr<detail::hold> given_back) : owner(whose), hold(std::move(given_back)) {}
  void complete(operations::release_result result) noexcept override;
  program& owner;
  const std::shared_ptr<detail::hold> hold;  ///< null: it was given back before
};

struct program::glance final : operations::receiver<operations::participants_result> {
  explicit glance(program& whose) : owner(whose) {}
  void complete(operations::participants_result seen) noexcept override;
  static std::shared_ptr<engine::operation> begun_by(program& whose, std::size_t lock, instant limit);
  program& owner;
};

struct program::commit final : operations::receiver<operations::transaction_result> {
  commit(program& whose, int which) : owner(whose), number(which) {}
  void complete(operations::transaction_result told) noexcept override;
  static std::shared_ptr<operations::commit> begun_by(program& whose, int which, std::shared_ptr<detail::hold> guard);
  program& owner;
  const int number;
};

struct program::value_listener final : operations::node_listener {
  explicit value_listener(program& whose) : owner(whose) {}
  void seen(const operations::node_report& what, engine::out& wants) override;
  void over(std::error_code why, engine::out& wants) override;
  program& owner;
};

struct program::value_change final : operations::receiver<operations::transaction_result> {
  explicit value_change(program& whose) : owner(whose) {}
  void complete(operations::transaction_result told) noexcept override;
  static std::shared_ptr<operations::commit> begun_by(program& whose, user_action::kind what, int which);
  program& owner;
};

/// Then it writes.
struct program::value_read final : operations::receiver<operations::read_result> {
  value_read(program& whose, std::string next, bool is_alike)
      : owner(whose), data(std::move(next)), alike(is_alike), guard(whose.held()) {}
  void complete(operations::read_result told) noexcept override;
  static std::shared_ptr<engine::operation> begun_by(program& whose, int which, bool alike);
  program& owner;
  const std::string data;
  const bool alike;  ///< others write the same
  const std::shared_ptr<detail::hold> guard;
};

struct program::value_update final : operations::receiver<operations::transaction_result> {
  value_update(program& whose, std::string to, bool is_alike) : owner(whose), data(std::move(to)), alike(is_alike) {}
  void complete(operations::transaction_result told) noexcept override;
  static std::shared_ptr<operations::commit> begun_by(const value_read& one, const recipes::node_stat& read);
  program& owner;
  const std::string data;
  const bool alike;
};

struct program::leader_listener final : operations::leader_listener {
  explicit leader_listener(program& whose) : owner(whose) {}
  void seen(const operations::leader_report& what, engine::out& wants) override;
  void over(std::error_code why, engine::out& wants) override;
  program& owner;
};

struct program::said final : operations::receiver<detail::failure> {
  said(program& whose, std::shared_ptr<detail::hold> term, int which)
      : owner(whose), of(std::move(term)), number(which) {}
  void complete(detail::failure why) noexcept override;
  static std::shared_ptr<operations::proclaim> begun_by(program& whose,
                                                        const std::shared_ptr<operations::proclamations>& among,
                                                        int which);
  program& owner;
  const std::shared_ptr<detail::hold> of;
  const int number;
};

struct program::new_limit final : operations::receiver<operations::permit_limit_result> {
  explicit new_limit(program& whose) : owner(whose) {}
  void complete(operations::permit_limit_result told) noexcept override;
  static std::shared_ptr<engine::operation> begun_by(program& whose, std::size_t lock, std::uint32_t to, instant limit);
  program& owner;
};

}  // namespace zklock::sim
