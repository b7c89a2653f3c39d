// Guarded writes whose connection is cut at the transaction: its reply lost, or the request never sent. None is done twice,
// none is called undone though it was done. Prints its counts.
#include <gtest/gtest.h>

#include <zklock/zklock.hpp>

#include <atomic>
#include <cstdio>
#include <mutex>
#include <random>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "tests/integration/on_a_server.hpp"

namespace zklock::test {
namespace {

/// Cuts a client's connection at its next transaction, if told to, and counts those that the server says it has applied. Its
/// hooks run on the proxy's thread.
class saboteur {
 public:
  saboteur(proxy& way, std::string root)
      : root_(std::move(root)),
        hooks_(
            way, [this](const request_frame& asked) { return on_request(asked); },
            [this](const reply_frame& answer) { return on_reply(answer); }) {}

  void plan(verdict next) { plan_ = next; }
  [[nodiscard]] int applied() const { return applied_; }
  [[nodiscard]] int sent() const { return sent_; }

 private:
  verdict on_request(const request_frame& asked) {
    if (asked.opcode != opcode::multi || asked.path == root_) {  // a heartbeat checks the root
      return verdict::pass;
    }
    ++sent_;
    return plan_.exchange(verdict::pass);
  }
  verdict on_reply(const reply_frame& answer) {
    applied_ += answer.opcode == opcode::multi && answer.path != root_ && answer.err == 0 ? 1 : 0;
    return verdict::pass;
  }

  const std::string root_;
  std::atomic<verdict> plan_ = verdict::pass;
  std::atomic<int> applied_ = 0;
  std::atomic<int> sent_ = 0;
  const hooks hooks_;
};

verdict drawn(std::mt19937& random) {
  constexpr verdict all[] = {verdict::pass, verdict::cut_before, verdict::cut_after};
  return all[random() % 3];
}

class lost_writes : public on_a_server {
 protected:
  void SetUp() override {
    (void)server_.create(full("/counter"));
    (void)server_.create(full("/receipts"));
  }
  void count_up(int client, int times, std::atomic<int>& unknown);
};

TEST_F(lost_writes, f08_are_told_as_unknown_and_each_is_done_once_or_not_at_all) {
  constexpr int writes = 150;
  proxy& way = new_proxy();
  session& one = open_through(way, {.timeout = 6s});
  recursive_mutex lock(one, "/lock");
  const grant held = lock.acquire();
  saboteur cutter(way, root_);
  std::mt19937 random(8);
  int told_applied = 0, replies_lost = 0, not_sent = 0;
  for (int write = 0; write < writes; ++write) {
    ASSERT_TRUE(one.wait_connected_for(patience));
    const verdict next = drawn(random);
    const int version = server_.look(full("/counter"))->version;
    cutter.plan(next);
    std::error_code ec;
    one.transaction().guarded_by(held).set("/counter", "x").commit(ec);
    EXPECT_EQ(ec, next == verdict::pass ? std::error_code() : make_error_code(errc::outcome_unknown)) << ec.message();
    const bool applied = next != verdict::cut_before;
    ASSERT_EQ(server_.look(full("/counter"))->version, version + (applied ? 1 : 0));
    ++(next == verdict::pass ? told_applied : next == verdict::cut_after ? replies_lost : not_sent);
    ASSERT_TRUE(eventually([&] { return one.state() == session_state::connected; }));
  }
  EXPECT_TRUE(held.held());
  EXPECT_EQ(cutter.sent(), writes) << "none was sent twice";
  EXPECT_EQ(cutter.applied(), told_applied + replies_lost) << "by the server's word";
  EXPECT_EQ(server_.look(full("/counter"))->version, told_applied + replies_lost);
  std::printf("writes: %d; told as applied: %d, applied with the reply lost: %d, not applied: %d\n", writes,
              told_applied, replies_lost, not_sent);
  EXPECT_GE(replies_lost, 25);
  EXPECT_GE(not_sent, 25);
}

/// Reads, adds one, writes; whatever is not known is tried again with the same receipt.
void lost_writes::count_up(int client, int times, std::atomic<int>& unknown) {
  proxy way(port_);
  session one(way.address() + root_, {.timeout = 6s});
  recursive_mutex lock(one, "/lock");
  saboteur cutter(way, root_);
  std::mt19937 random(static_cast<unsigned>(client));
  for (int time = 0; time < times; ++time) {
    const grant held = acquire_patiently(lock);
    const std::string before = server_.data(full("/counter"));
    const std::string after = std::to_string(before.empty() ? 1 : std::stoi(before) + 1);
    const std::string receipt = "/receipts/" + std::to_string(client) + "-" + std::to_string(time);
    for (std::error_code ec = errc::outcome_unknown; ec && ec != errc::node_exists;) {
      ASSERT_TRUE(one.wait_connected_for(patience));
      cutter.plan(drawn(random));
      one.transaction().guarded_by(held).set("/counter", after).create(receipt).commit(ec);
      unknown += may_have_applied(ec) ? 1 : 0;
      ASSERT_TRUE(!ec || ec == errc::node_exists || may_have_applied(ec) || is_transient(ec)) << ec.message();
    }
    cutter.plan(verdict::pass);
  }
}

TEST_F(lost_writes, f08_that_are_tried_again_with_a_receipt_count_exactly) {
  constexpr int clients = 3;
  constexpr int times = 25;
  std::atomic<int> unknown = 0;
  std::vector<std::future<void>> running;
  for (int client = 0; client < clients; ++client) {
    running.push_back(in_a_thread([this, client, &unknown] { count_up(client, times, unknown); }));
  }
  for (auto& one : running) {
    one.get();
  }
  EXPECT_EQ(server_.data(full("/counter")), std::to_string(clients * times));
  EXPECT_EQ(server_.look(full("/counter"))->version, clients * times);
  EXPECT_EQ(server_.children(full("/receipts")).size(), static_cast<std::size_t>(clients * times));
  std::printf("increments: %d, by %d clients; outcomes unknown meanwhile: %d\n", clients * times, clients,
              unknown.load());
  EXPECT_GE(unknown, clients * times / 4);
}

}  // namespace
}  // namespace zklock::test
