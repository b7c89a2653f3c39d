#pragma once

#include "src/testing/world.hpp"

namespace zklock::testing {

/// What a server sends to its clients: answers in the order of their requests, and the events of watches.
class client_answers {
 public:
  explicit client_answers(world& of) noexcept : w_(of) {}

  /// The server has applied an entry of the log.
  void applied(server& s, const log_entry& entry);
  /// The leader has answered the first request that waits.
  void answer(server& s, link& l, client::reply&& with);
  /// The leader has said whether a session stands: its newest connection hears it, also when an older one has asked.
  void revalidated(server& s, std::int64_t session, client::code answer);
  /// Answers the reads that have no write of their session in front of them.
  void advance(server& s, link& l);

 private:
  void read(server& s, link& l, const staged& entry);
  void fire_watches(const server& s, const change& what);

  world& w_;
};

}  // namespace zklock::testing
