// One of ours among 50,000 contenders of one lock node: at the head of them, and behind them all. The answer to a list is
// of some 3 MB then. What is asserted is how often it is asked for.
#include <gtest/gtest.h>

#include <zklock/zklock.hpp>

#include <atomic>
#include <cstddef>
#include <future>
#include <memory>
#include <ostream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "recipes/contender_name.hpp"
#include "tests/integration/on_a_server.hpp"

namespace zklock::test {
namespace {

using recipes::contender_kind;

constexpr std::size_t crowd_size = 50'000;
/// Many thousand nodes are made and removed meanwhile.
constexpr auto long_patience = 120s;

/// Contenders that no client drives, in sessions of their own. Of several sessions, since what ends with one goes into
/// one transaction of the servers, whose size is bounded.
class crowd {
 public:
  using kind_at = contender_kind (*)(std::size_t place);

  /// Each `place` is a contender of kind_of(place), in this order.
  crowd(const std::string& servers, const std::string& lock_node, kind_at kind_of, recipes::layout as) {
    for (std::size_t place = 0; place < crowd_size; place += batch) {
      if (place % session_size == 0) {
        sessions_.push_back(std::make_unique<inspector>(servers));
      }
      client::request::multi together;
      for (std::size_t one = place; one < place + batch; ++one) {
        const recipes::contender_id id(one, crowd_size);
        together.operations.emplace_back(
            client::request::create{lock_node + "/" + std::string(recipes::contender_prefix(kind_of(one), id, 1, as)),
                                    "", client::create_mode::ephemeral_sequential});
      }
      made_ = made_ && sessions_.back()->ask(std::move(together)).code == client::code::ok;
    }
  }
  crowd(const crowd&) = delete;
  crowd& operator=(const crowd&) = delete;
  ~crowd() { leave(); }

  [[nodiscard]] bool made() const noexcept { return made_; }
  /// First come, first gone.
  void leave() {
    for (auto& one : sessions_) {
      one.reset();
    }
  }

 private:
  static constexpr std::size_t batch = 250;
  static constexpr std::size_t session_size = 5'000;

  std::vector<std::unique_ptr<inspector>> sessions_;
  bool made_ = true;
};

/// One of ours: a lock of its own in a session of its own, whose lists are counted.
class contestant {
 public:
  contestant(session& in, const std::string& path, contender_kind kind, layout as, const std::atomic<int>& lists)
      : mutex_(in, path, {.layout = as}),
        sides_(in, path, {.layout = as}),
        permits_(in, path, 1, {.layout = as}),
        view_(view_of(kind)),
        lists_(lists) {}

  void begin() {
    granted_ = in_a_thread([this] {
      std::error_code ec;
      grant got = view_.try_acquire_for(long_patience, ec);
      EXPECT_FALSE(ec) << ec.message();
      return got;
    });
  }
  [[nodiscard]] grant wait() { return granted_.get(); }
  [[nodiscard]] int lists() const { return lists_; }

 private:
  lock_view view_of(contender_kind kind) {
    switch (kind) {
      case contender_kind::read: return sides_.read();
      case contender_kind::write: return sides_.write();
      case contender_kind::permit: return permits_.permits(1);
      default: return mutex_;
    }
  }

  recursive_mutex mutex_;
  shared_mutex sides_;
  semaphore permits_;
  lock_view view_;
  const std::atomic<int>& lists_;
  std::future<grant> granted_;
};

struct one_of_ours {
  contender_kind kind;
  layout as;
  int lists_at_the_head;  ///< until it is granted, behind two that go one after the other and those of ours before it
};

struct large_queue {
  const char* name;
  crowd::kind_at kind_of;
  recipes::layout as;
  std::vector<one_of_ours> ours;
};

std::ostream& operator<<(std::ostream& to, const large_queue& one) { return to << one.name; }

contender_kind all_mutexes(std::size_t) { return contender_kind::mutex; }
contender_kind some_writers(std::size_t place) {
  return place % 100 == 0 ? contender_kind::write : contender_kind::read;
}

class among_50000 : public on_a_server {
 protected:
  [[nodiscard]] std::string servers() const { return "127.0.0.1:" + std::to_string(port_); }
  [[nodiscard]] std::size_t size() { return static_cast<std::size_t>(server_.look(full("/lock"))->child_count); }
  [[nodiscard]] bool grows_to(std::size_t wanted) {
    return eventually([&] { return server_.look(full("/lock")).has_value() && size() == wanted; }, long_patience);
  }
};

TEST_F(among_50000, queue_lists_all_when_its_limit_is_long_enough) {
  server_.create(full("/lock"));
  const crowd others(servers(), full("/lock"), all_mutexes, recipes::layout::native);
  ASSERT_TRUE(others.made());
  const recursive_mutex lock(open(), "/lock", {.try_time_limit = long_patience});
  const std::vector<participant> found = lock.queue();
  ASSERT_EQ(found.size(), crowd_size);
  EXPECT_EQ(found.front().state, participant_state::held);
  EXPECT_EQ(found.back().position, crowd_size - 1);
  EXPECT_EQ(found.back().state, participant_state::waiting);
}

class a_queue_of_50000 : public among_50000, public ::testing::WithParamInterface<large_queue> {
 protected:
  [[nodiscard]] std::string blocker() {
    const contender_kind kind = GetParam().kind_of(0);
    const recipes::contender_id id(++blockers_, 0);
    return server_.create(full("/lock/") + std::string(recipes::contender_prefix(kind, id, 1, GetParam().as)),
                          client::create_mode::ephemeral_sequential);
  }
  /// Each of ours watches its own node and the node that it waits for. Ours are two groups: the first of each waits for
  /// a node that is none of ours, the others for the one of ours before.
  [[nodiscard]] bool all_watch(std::size_t ours) const { return watched_paths().size() == ours + 2; }
  [[nodiscard]] contestant& one_more(const one_of_ours& of) {
    proxy& way = new_proxy();
    auto& lists = *lists_.emplace_back(std::make_unique<std::atomic<int>>(0));
    way.on_request([&lists](const request_frame& asked) {
      lists += asked.opcode == opcode::get_children || asked.opcode == opcode::get_children2 ? 1 : 0;
      return verdict::pass;
    });
    return *contestants_.emplace_back(std::make_unique<contestant>(open_through(way), "/lock", of.kind, of.as, lists));
  }
  void TearDown() override {
    contestants_.clear();
    on_a_server::TearDown();
  }

 private:
  std::uint64_t blockers_ = 0;
  std::vector<std::unique_ptr<std::atomic<int>>> lists_;
  std::vector<std::unique_ptr<contestant>> contestants_;
};

TEST_P(a_queue_of_50000, is_held_by_its_head_and_let_in_behind_it_with_a_few_lists_each) {
  const std::string first_blocker = blocker();
  const std::string second_blocker = blocker();
  std::vector<contestant*> head;
  for (const one_of_ours& one : GetParam().ours) {
    head.push_back(&one_more(one));
    head.back()->begin();
    ASSERT_TRUE(grows_to(2 + head.size()));
  }
  crowd others(servers(), full("/lock"), GetParam().kind_of, GetParam().as);
  ASSERT_TRUE(others.made());
  std::vector<contestant*> tail;
  for (const one_of_ours& one : GetParam().ours) {
    tail.push_back(&one_more(one));
    tail.back()->begin();
    ASSERT_TRUE(grows_to(2 + head.size() + crowd_size + tail.size()));
  }

  ASSERT_TRUE(eventually([&] { return all_watch(head.size() + tail.size()); }, long_patience));
  ASSERT_TRUE(server_.remove(second_blocker));
  ASSERT_TRUE(eventually([&] { return is_watched(first_blocker); }, long_patience));
  ASSERT_TRUE(server_.remove(first_blocker));
  for (std::size_t i = 0; i < head.size(); ++i) {
    SCOPED_TRACE("at the head: " + std::to_string(i));
    grant held = head[i]->wait();
    EXPECT_TRUE(held.held());
    EXPECT_GE(size(), crowd_size);
    EXPECT_EQ(head[i]->lists(), GetParam().ours[i].lists_at_the_head);
    std::error_code ec;
    held.release(ec);
    EXPECT_FALSE(ec) << ec.message();
  }

  others.leave();
  for (std::size_t i = 0; i < tail.size(); ++i) {
    SCOPED_TRACE("behind all: " + std::to_string(i));
    EXPECT_TRUE(tail[i]->wait().held());
    EXPECT_EQ(tail[i]->lists(), 2) << "one when it comes, one when the node that it watches has gone";
  }
}

// A contender that is granted by a list alone, not by an event, needs one more.
INSTANTIATE_TEST_SUITE_P(
    of, a_queue_of_50000,
    ::testing::Values(
        large_queue{"mutexes_of_both_layouts",
                    all_mutexes,
                    recipes::layout::curator,
                    {{contender_kind::mutex, layout::native, 2}, {contender_kind::mutex, layout::curator, 2}}},
        large_queue{"readers_and_writers",
                    some_writers,
                    recipes::layout::native,
                    {{contender_kind::read, layout::native, 2}, {contender_kind::write, layout::native, 2}}},
        large_queue{"readers_and_writers_in_curators_layout",
                    some_writers,
                    recipes::layout::curator,
                    {{contender_kind::read, layout::curator, 3}, {contender_kind::write, layout::curator, 2}}}),
    [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace zklock::test
