// Transactions of one holder whose node another client sets meanwhile: each counts when its caller commits it.
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <zklock/async.hpp>

#include "src/api/connector_access.hpp"
#include "src/port/client.hpp"
#include "tests/unit/api/on_a_fake.hpp"

namespace zklock::test {
namespace {

/// A get of that node stops whoever sends it, until it is let go: the session is busy meanwhile.
class obstacle {
 public:
  explicit obstacle(std::string path) : path_(std::move(path)) {}
  void pass(const client::any_request& what) {
    const auto* const get = std::get_if<client::request::get>(&what);
    if (get != nullptr && get->path == path_) {
      std::unique_lock lock(mutex_);
      reached_ = true;
      changed_.notify_all();
      changed_.wait_for(lock, patience, [this] { return gone_; });
    }
  }
  [[nodiscard]] bool is_reached() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, patience, [this] { return reached_; });
  }
  void take_away() {
    const std::lock_guard lock(mutex_);
    gone_ = true;
    changed_.notify_all();
  }

 private:
  const std::string path_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool reached_ = false, gone_ = false;
};

class obstructed_connection final : public client::connection {
 public:
  obstructed_connection(std::unique_ptr<client::connection> real, obstacle& by) : real_(std::move(real)), by_(by) {}
  void submit(client::request_id id, client::any_request&& what) override {
    by_.pass(what);
    real_->submit(id, std::move(what));
  }
  void forget(std::string_view path, client::watch_id id, watch_kind kind) override { real_->forget(path, id, kind); }
  void close() override { real_->close(); }

 private:
  const std::unique_ptr<client::connection> real_;
  obstacle& by_;
};

class obstructed_servers final : public client::factory {
 public:
  obstructed_servers(std::shared_ptr<client::factory> real, obstacle& by) : real_(std::move(real)), by_(by) {}
  std::unique_ptr<client::connection> open(const client::parameters& with, client::observer& to) override {
    return std::make_unique<obstructed_connection>(real_->open(with, to), by_);
  }
  [[nodiscard]] bool adopted() const noexcept override { return false; }
  [[nodiscard]] std::size_t server_count() const noexcept override { return real_->server_count(); }
  [[nodiscard]] std::string describe() const override { return real_->describe(); }

 private:
  const std::shared_ptr<client::factory> real_;
  obstacle& by_;
};

class a_commit_in_order : public on_a_fake {
 protected:
  obstacle in_the_way_{"/nowhere"};
  session busy_{detail::connector_access::make(std::make_shared<obstructed_servers>(
                    detail::connector_access::servers(zookeeper_.clients(2)), in_the_way_)),
                {.timeout = 60s}};
  const bool has_config_ = zookeeper_.create_node("/config", "of before");
};

/// One thread: the transaction, then the downgrade. Both wait while the session is busy: when the transaction is sent, the hold
/// reads only, as far as the program knows. It is refused for the other guard.
TEST_F(a_commit_in_order, of_a_writer_is_not_sent_again_behind_a_downgrade_asked_for_before_it_was_sent) {
  shared_mutex marked(busy_, "/marked"), both(busy_, "/both"), others(two_, "/both");
  const grant first = marked.write().acquire();
  grant second = both.write().acquire();
  auto reads = in_a_thread([&] { return others.read().acquire(); });
  ASSERT_TRUE(
      eventually([&] { return both.queue().size() == 2 && zookeeper_.watch_count(1) >= 1 && zookeeper_.quiet(); }));
  revoke(two_, first.node());
  auto asks = in_a_thread([&] { return busy_.get("/nowhere"); });
  ASSERT_TRUE(in_the_way_.is_reached());
  std::promise<std::error_code> told;
  start_commit(busy_.transaction().guarded_by(first).guarded_by(second).set("/config", "of a writer"),
               [&](std::error_code ec, const std::vector<operation_result>&) { told.set_value(ec); });
  second.downgrade();
  zookeeper_.hold_replies(2);
  in_the_way_.take_away();
  const grant reader = reads.get();  // before the refusal is known
  zookeeper_.restore(2);
  EXPECT_EQ(told.get_future().get(), errc::lost);
  EXPECT_EQ(zookeeper_.data("/config"), "of before");
  EXPECT_TRUE(reader.held());
  asks.get();
}

TEST_F(a_commit_in_order, of_one_holder_comes_behind_those_before_it_whoever_sets_its_node_meanwhile) {
  shared_mutex lock(one_, "/lock");
  const grant held = lock.write().acquire();
  std::mutex mutex;
  std::vector<std::pair<int, int>> seen;  // the number of each, and the version that it has made
  std::vector<std::error_code> failed;
  std::atomic<int> done{0};
  int begun = 0;
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 100; ++i, ++begun) {
      if (i == round * 5) {
        zookeeper_.set_data(held.node(), *zookeeper_.data(held.node()));
      }
      start_commit(one_.transaction().guarded_by(held).set("/config", std::to_string(begun)),
                   [&, number = begun](std::error_code ec, const std::vector<operation_result>& results) {
                     const std::lock_guard guard(mutex);
                     if (ec) {
                       failed.push_back(ec);
                     } else {
                       seen.emplace_back(number, results.at(0).version);
                     }
                     ++done;
                   });
    }
    ASSERT_TRUE(eventually([&] { return done == begun; }));
  }
  std::sort(seen.begin(), seen.end());
  EXPECT_TRUE(failed.empty()) << failed.size() << ", " << failed.front().message();
  EXPECT_EQ(zookeeper_.data("/config"), std::to_string(begun - 1));
  EXPECT_TRUE(
      std::is_sorted(seen.begin(), seen.end(), [](const auto& a, const auto& b) { return a.second < b.second; }));
}

}  // namespace
}  // namespace zklock::test
