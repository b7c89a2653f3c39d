#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "src/testing/client_library.hpp"
#include "src/testing/leadership.hpp"
#include "src/testing/request_intake.hpp"
#include "src/testing/world.hpp"
#include "tests/unit/testing/diary.hpp"

namespace zklock::testing {

/// A world, and one client of it with a timeout of 6 s. Nothing happens but what a test calls.
struct small_world : public ::testing::Test {
  explicit small_world(int servers = 1) : w({.servers = servers}) {}

  std::shared_ptr<handle> open(int first_server = 0) {
    return client_library(w).open(0, first_server, false, {.timeout = std::chrono::seconds(6)}, told);
  }
  /// Messages between servers and from the client, until none can be taken.
  void serve_all() {
    for (bool again = true; again;) {
      again = false;
      for (const auto& l : w.links) {
        if (can_serve(w, *l)) {
          request_intake(w).serve(*l);
          again = true;
        }
      }
      for (server& s : w.servers) {
        if (can_lead(w, s)) {
          leadership(w).lead(s);
          again = true;
        }
        if (!s.line.down.empty()) {
          leadership(w).follow(s);
          again = true;
        }
      }
    }
  }
  void deliver_all(const std::shared_ptr<handle>& h) {
    while (!h->inbox.empty()) client_library(w).deliver_inbox(h);
    while (h->at != nullptr && !h->at->down.empty()) client_library(w).deliver(*h->at, 0);
  }
  std::shared_ptr<handle> connected(int server = 0) {
    auto h = open(server);
    client_library(w).connect(*h);
    serve_all();
    deliver_all(h);
    EXPECT_EQ(h->state, handle_state::connected);
    told.take();
    return h;
  }
  void ask(handle& h, client::request_id id, client::any_request what) {
    client_library(w).submit(h, id, std::move(what));
  }

  diary told;
  world w;
};

struct world_of_three : public small_world {
  world_of_three() : small_world(3) {}
};

}  // namespace zklock::testing
