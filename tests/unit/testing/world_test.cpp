#include "src/testing/world.hpp"

#include "tests/unit/testing/small_world.hpp"

namespace zklock::testing {
namespace {

using world_of_one = small_world;

TEST_F(world_of_one, finds_handles_and_links_by_their_number) {
  const auto h = connected();
  EXPECT_NE(h->number, h->at->number);
  EXPECT_EQ(w.find_handle(h->number), h);
  EXPECT_EQ(w.find_link(h->at->number), h->at);
  EXPECT_EQ(w.find_handle(h->at->number), nullptr);
  EXPECT_EQ(w.find_link(h->number), nullptr);
  w.forget_handle(*h);
  EXPECT_EQ(w.find_handle(h->number), nullptr);
}

TEST_F(world_of_one, keeps_the_state_of_each_client) {
  EXPECT_EQ(w.find_state(3), nullptr);
  w.state_of(3).refused = true;
  w.state_of(4).counts.pings = 2;
  EXPECT_TRUE(w.find_state(3)->refused);
  EXPECT_EQ(w.state_of(4).counts.pings, 2U);
}

TEST_F(world_of_one, keeps_a_link_while_its_server_has_something_to_do) {
  const auto h = connected();
  ask(*h, 1, client::request::create{"/a"});
  client_library(w).lose(*h, client::code::connection_loss);
  w.sweep();
  EXPECT_EQ(w.links.size(), 1U);
  serve_all();
  EXPECT_NE(w.servers.nodes().find("/a"), nullptr);
  w.sweep();
  EXPECT_TRUE(w.links.empty());
}

TEST(world, leaves_handles_that_outlive_it_without_a_home) {
  diary told;
  std::shared_ptr<handle> h;
  {
    world w({});
    h = client_library(w).open(0, 0, false, {}, told);
    EXPECT_EQ(h->home, &w);
  }
  EXPECT_EQ(h->home, nullptr);
}

}  // namespace
}  // namespace zklock::testing
