#include <zklock/transaction.hpp>

#include <utility>

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

detail::transaction_draft::outcome commit_once(std::unique_ptr<detail::transaction_draft> draft) {
  if (!draft) {
    return {{}, {errc::invalid_option, recipes::code::ok, "commit", "a transaction that was committed, or moved from"}};
  }
  return draft->commit();
}

}  // namespace

std::vector<operation_result> transaction::commit() {
  auto [results, failure] = commit_once(std::move(draft_));
  if (!failure.fault.empty()) {
    throw error(failure.ec, failure.operation, failure.about, failure.fault);
  }
  if (failure.ec) {
    throw detail::error_with(failure.ec, failure.answer, failure.operation, failure.about);
  }
  return std::move(results);
}

std::vector<operation_result> transaction::commit(std::error_code& ec) {
  auto [results, failure] = commit_once(std::move(draft_));
  ec = failure.ec;
  return std::move(results);
}

}  // namespace zklock
