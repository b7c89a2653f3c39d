#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "recipes/effort.hpp"
#include "src/operations/lock_operations.hpp"
#include "src/testing/ensemble_model.hpp"

namespace zklock::costs {

/// What a client has caused since the last reset.
struct meter {
  std::array<std::uint64_t, std::variant_size_v<client::any_request>> requests{};  ///< by index of any_request
  /// The longest chain of requests of which each waited for the answer to the one before, since the last event.
  std::uint64_t round_trips = 0;
  std::uint64_t wake_ups = 0;                  ///< events of watches, while it waits
  std::uint64_t bytes = 0;                     ///< of the paths, names and data in requests and answers
  recipes::effort effort{};                    ///< of all tasks of the session
  recipes::effort task_max{};                  ///< the most of one task
  std::chrono::nanoseconds processor_time{0};  ///< of all tasks, without what the model takes behind the port

  template <class Request>
  [[nodiscard]] std::uint64_t sent() const {
    return requests[client::any_request(Request{}).index()];
  }
  [[nodiscard]] std::uint64_t sent_in_all() const {
    return std::accumulate(requests.begin(), requests.end(), std::uint64_t{0});
  }
};

/// A program with one session, the session logic that ships, and a meter on its port. It acquires, also several times at
/// once, and says what came of it.
class metered_client final : private detail::environment {
 public:
  metered_client(testing::ensemble& servers, int number);
  ~metered_client() override;
  metered_client(const metered_client&) = delete;
  metered_client& operator=(const metered_client&) = delete;

  void acquire(detail::wanted_parts parts);
  /// The same, but nothing happens until the ensemble is settled.
  void begin_acquire(detail::wanted_parts parts);
  /// What was granted first.
  void release();
  void downgrade();
  /// Of the acquisitions that have no answer each `step`th, all at once: their callers do not want them any more.
  void abandon_each(std::size_t step);
  /// Until nothing is under way here or there, and nothing is due.
  void settle();
  [[nodiscard]] bool holds() const noexcept { return !holds_.empty(); }
  [[nodiscard]] std::size_t hold_count() const noexcept { return holds_.size(); }

  /// Since the last reset; `round_trips` up to the grant, or up to rest if there was none.
  [[nodiscard]] const meter& read() const noexcept { return meter_; }
  void reset() noexcept { meter_ = {}; }

 private:
  class ear;
  class port;
  struct attempt;

  recipes::contender_id next_id() override;
  std::string describe_contender(recipes::contender_mode mode, std::uint64_t owner, std::string_view label,
                                 std::string into) override;
  client::observer& observer_of(std::uint64_t generation) override;
  void dispose(std::uint64_t generation, std::unique_ptr<client::connection> dead) override;
  std::shared_ptr<detail::hold> make_hold(detail::hold_facts of) override {
    return std::make_shared<detail::hold>(std::move(of));
  }
  void notice_of_loss(std::shared_ptr<detail::hold>) override {}
  void notify(std::function<void()>, std::string) override {}
  void state_changed(session_state, bool) override {}
  void closed(std::error_code) override {}
  void log(log_line) override {}

  /// Does it as a task of the session, whose effort counts. What the session has put off follows in tasks of its own.
  template <class Task>
  void run(Task&& task);

  testing::ensemble& servers_;
  const std::uint64_t number_;
  std::uint64_t ids_ = 0;
  meter meter_;
  std::uint64_t depth_ = 0;                          ///< of the answer that is being heard
  std::chrono::nanoseconds elsewhere_{0};            ///< the time that the model has taken within a task
  bool measuring_ = true;                            ///< until the grant
  std::deque<std::shared_ptr<detail::hold>> holds_;  ///< in the order of the grants
  std::unique_ptr<port> port_;
  std::deque<std::unique_ptr<ear>> ears_;
  std::vector<std::unique_ptr<client::connection>> dead_;
  std::vector<std::shared_ptr<operations::acquire>> asked_;
  std::unique_ptr<engine::session_engine> engine_;
  std::unique_ptr<operations::lock_operations> locks_;
};

}  // namespace zklock::costs
