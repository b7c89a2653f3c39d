#include <zklock/transaction.hpp>

#include <utility>

#include "src/api/async_operation.hpp"
#include "src/api/lock_state.hpp"
#include "src/api/transaction_draft.hpp"
#include "src/errors/error_of.hpp"

namespace zklock {

transaction session::transaction() { return zklock::transaction(impl_); }

transaction::transaction(std::shared_ptr<detail::session_impl> session)
    : draft_(std::make_unique<detail::transaction_draft>(std::move(session))) {}

transaction::transaction(transaction&& other) noexcept = default;
transaction& transaction::operator=(transaction&& other) noexcept = default;
transaction::~transaction() = default;

transaction& transaction::guarded_by(const grant& by) & {
  if (draft_) {
    draft_->add_guard(detail::grant_access::session(by), detail::grant_access::held(by));
  }
  return *this;
}

transaction& transaction::create(std::string_view path, std::string_view data, create_mode mode) & {
  if (draft_) {
    draft_->add_create(path, data, mode);
  }
  return *this;
}

transaction& transaction::set(std::string_view path, std::string_view data, std::int32_t version) & {
  if (draft_) {
    draft_->add_set(path, data, version);
  }
  return *this;
}

transaction& transaction::remove(std::string_view path, std::int32_t version) & {
  if (draft_) {
    draft_->add_remove(path, version);
  }
  return *this;
}

transaction& transaction::check(std::string_view path, std::int32_t version) & {
  if (draft_) {
    draft_->add_check(path, version);
  }
  return *this;
}

transaction&& transaction::guarded_by(const grant& by) && { return std::move(guarded_by(by)); }

transaction&& transaction::create(std::string_view path, std::string_view data, create_mode mode) && {
  return std::move(create(path, data, mode));
}

transaction&& transaction::set(std::string_view path, std::string_view data, std::int32_t version) && {
  return std::move(set(path, data, version));
}

transaction&& transaction::remove(std::string_view path, std::int32_t version) && {
  return std::move(remove(path, version));
}

transaction&& transaction::check(std::string_view path, std::int32_t version) && {
  return std::move(check(path, version));
}

namespace {

using outcome = detail::transaction_draft::outcome;

outcome no_draft() {
  return {{}, {errc::invalid_option, recipes::code::ok, "commit", "a transaction that was committed, or moved from"}};
}

outcome commit_once(std::unique_ptr<detail::transaction_draft> draft) { return draft ? draft->commit() : no_draft(); }

std::vector<operation_result> results_or_thrown(outcome&& of) {
  const auto& failure = of.failure;
  if (!failure.fault.empty()) {
    throw error(failure.ec, failure.operation, failure.about, failure.fault);
  }
  if (failure.ec) {
    throw detail::error_with(failure.ec, failure.answer, failure.operation, failure.about);
  }
  return std::move(of.results);
}

}  // namespace

std::vector<operation_result> transaction::commit() { return results_or_thrown(commit_once(std::move(draft_))); }

std::vector<operation_result> transaction::commit(std::error_code& ec) {
  auto [results, failure] = commit_once(std::move(draft_));
  ec = failure.ec;
  return std::move(results);
}

detail::calls::commit::commit(transaction what) : draft(std::move(what.draft_)) {
  if (outcome wrong = draft ? outcome{{}, draft->problem_before_sending()} : no_draft(); wrong.failure.ec) {
    static_cast<void>(results_or_thrown(std::move(wrong)));
  }
}

void detail::calls::commit::start(std::unique_ptr<handler> told) {
  require_not_forked(*draft->its_session(), name, {});
  if (!draft->take()) {  // its guards have gone with the first one
    static_cast<void>(results_or_thrown(no_draft()));
  }
  const auto call = make_async<operations::transaction_result>(
      draft->its_session(), std::move(told),
      [of = draft](const operations::transaction_result& result) { return results_or_thrown(of->outcome_of(result)); });
  const own_tasks_only leaving_others;
  draft->begin(call);
}

}  // namespace zklock
