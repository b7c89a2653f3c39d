#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <zklock/transaction.hpp>

#include "src/api/session_impl.hpp"
#include "src/operations/commit.hpp"
#include "src/port/client.hpp"

namespace zklock::detail {

/// What has been asked of a transaction until it is committed. One thread at a time.
///
/// Invariant: while `mistake` is none, all that is in it may be sent.
struct transaction_draft {
  explicit transaction_draft(std::shared_ptr<session_impl> of) : session(std::move(of)) {}

  struct problem {
    std::error_code ec;
    recipes::code answer = recipes::code::ok;
    std::string operation;
    std::string about;       ///< a path, or the value at fault
    std::string fault = {};  ///< the rule that a path breaks, and where
  };
  struct outcome {
    std::vector<operation_result> results;
    problem failure;
  };

  void add_guard(const std::shared_ptr<session_impl>& of, const std::shared_ptr<hold>& by);
  void add_create(std::string_view path, std::string_view data, create_mode mode);
  void add_set(std::string_view path, std::string_view data, std::int32_t version);
  void add_remove(std::string_view path, std::int32_t version);
  void add_check(std::string_view path, std::int32_t version);
  /// Sends it, and waits for the answer.
  [[nodiscard]] outcome commit();

  // ---- and without waiting
  [[nodiscard]] problem problem_before_sending() const;
  /// Whether this is the first time: a call without a thread may have been copied, and one of the copies begun.
  [[nodiscard]] bool take() noexcept { return !taken.exchange(true); }
  /// Once, if there is no problem.
  void begin(std::shared_ptr<operations::receiver<operations::transaction_result>> told);
  [[nodiscard]] outcome outcome_of(const operations::transaction_result& result) const;
  [[nodiscard]] const std::shared_ptr<session_impl>& its_session() const noexcept { return session; }

 private:
  void add(std::string_view path, std::string_view operation, std::int32_t version, client::request::operation what);
  void note(problem found);

  const std::shared_ptr<session_impl> session;
  std::atomic<bool> taken{false};
  problem mistake;  ///< the first
  std::vector<std::shared_ptr<hold>> guards;
  std::vector<client::request::operation> operations;
};

}  // namespace zklock::detail
