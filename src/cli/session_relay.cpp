#include "src/cli/session_relay.hpp"

#include <utility>

#include "src/api/session_end.hpp"
#include "src/cli/session_ending.hpp"

namespace zklock::cli {

session_relay::session_relay(session& of, guardian_process& guardian, std::string servers, std::string auth)
    : session_(of),
      guardian_(guardian),
      servers_(std::move(servers)),
      auth_(std::move(auth)),
      states_(of.observe([this](const session_change&) { changed_.ring(); })) {
  look();
}

void session_relay::look() {
  const std::lock_guard lock(mutex_);
  static_cast<void>(changed_.take());
  const client::session_key key = detail::key_of(session_);
  const session_ending ending{servers_, auth_, key.id, key.password, session_.timeout()};
  if (key.id != told_ && guardian_.send(order::session{to_words(ending)})) {
    told_ = key.id;
  }
}

}  // namespace zklock::cli
