#include "src/api/connection_owner.hpp"

#include <gtest/gtest.h>

#include <future>
#include <string>
#include <utility>

namespace zklock::detail {
namespace {

class deaf final : public client::observer {
 public:
  explicit deaf(std::string& order) : order_(order) {}
  deaf(const deaf&) = delete;
  deaf& operator=(const deaf&) = delete;
  ~deaf() override { order_ += "observer "; }
  void on_reply(client::request_id, const client::reply_view&) override {}
  void on_node_event(client::watch_id, client::node_event) override {}
  void on_session_event(const client::session_event&) override {}
  void on_closed(bool) override {}

 private:
  std::string& order_;
};

class idle final : public client::connection {
 public:
  explicit idle(std::string& order) : order_(order) {}
  idle(const idle&) = delete;
  idle& operator=(const idle&) = delete;
  ~idle() override { order_ += "connection "; }
  void submit(client::request_id, client::any_request&&) override {}
  void forget(std::string_view, client::watch_id, watch_kind) override {}
  void close() override {}

 private:
  std::string& order_;
};

class a_connection_owner : public testing::Test {
 protected:
  std::string destroyed_;
  connection_owner owner_;
};

TEST_F(a_connection_owner, keeps_an_observer_until_its_connection_is_disposed_of) {
  auto made = std::make_unique<deaf>(destroyed_);
  const client::observer* const kept = made.get();
  EXPECT_EQ(&owner_.add(1, std::move(made)), kept);
  owner_.add(2, std::make_unique<deaf>(destroyed_));
  EXPECT_EQ(owner_.observer_count(), 2U);
  owner_.dispose(1, std::make_unique<idle>(destroyed_));
  EXPECT_EQ(owner_.observer_count(), 1U);
  EXPECT_EQ(owner_.disposed_count(), 1U);
}

TEST_F(a_connection_owner, destroys_nothing_itself_and_a_connection_goes_before_its_observer) {
  owner_.add(1, std::make_unique<deaf>(destroyed_));
  owner_.dispose(1, std::make_unique<idle>(destroyed_));
  auto dead = owner_.take_dead();
  ASSERT_EQ(dead.size(), 1U);
  EXPECT_EQ(destroyed_, "");
  dead.clear();
  EXPECT_EQ(destroyed_, "connection observer ");
  EXPECT_TRUE(owner_.take_dead().empty());
}

TEST_F(a_connection_owner, takes_an_observer_whose_connection_was_never_opened) {
  owner_.add(1, std::make_unique<deaf>(destroyed_));
  owner_.dispose(1, nullptr);
  EXPECT_EQ(owner_.observer_count(), 0U);
  owner_.take_dead().clear();
  EXPECT_EQ(destroyed_, "observer ");
}

TEST_F(a_connection_owner, a_wait_ends_when_as_many_are_disposed_of) {
  owner_.wait_disposed(0);
  auto waited = std::async(std::launch::async, [this] {
    owner_.wait_disposed(2);
    return owner_.disposed_count();
  });
  for (const std::uint64_t generation : {1, 2}) {
    owner_.add(generation, std::make_unique<deaf>(destroyed_));
    owner_.dispose(generation, std::make_unique<idle>(destroyed_));
  }
  EXPECT_EQ(waited.get(), 2U);
}

}  // namespace
}  // namespace zklock::detail
