#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/engine/operation_table.hpp"
#include "tests/unit/engine/recorded_session.hpp"
#include "tests/unit/engine/scripted_operation.hpp"

namespace zklock::test_support {

/// Brings the answer to the oldest request. Whether an operation has heard it.
inline bool answer_oldest(recorded_session& session, engine::operation_table& table, const client::reply_view& what,
                          instant now) {
  const auto asked = session.way.answered(1, session.servers.sent.front());
  session.servers.sent.erase(session.servers.sent.begin());
  return asked && table.call(asked->owner, now,
                             [&](engine::operation& it, engine::out& wants) { it.reply(asked->as, what, wants); });
}

/// An operation table at 100 s, and all that happens in it, in a diary.
class on_a_table : public testing::Test {
 protected:
  using operation_ptr = std::shared_ptr<scripted_operation>;

  /// Its name is the number that it is to get.
  operation_ptr make(std::uint64_t number) {
    return std::make_shared<scripted_operation>(std::to_string(number), seen);
  }
  operation_ptr begin(std::uint64_t number, std::optional<instant> due = {}) {
    auto one = make(number);
    one->when = due;
    table.begin(one, {}, now);
    return one;
  }
  /// Several that are begun; the diary is empty.
  std::vector<operation_ptr> begin_all(std::uint64_t count) {
    std::vector<operation_ptr> all;
    for (std::uint64_t number = 1; number <= count; ++number) {
      all.push_back(begin(number));
    }
    seen.clear();
    return all;
  }
  void connect() {
    table.call_each(now, [](engine::operation& it, engine::out& wants) { it.connected(wants); });
  }
  void disconnect() {
    table.call_each(now, [](engine::operation& it, engine::out& wants) { it.disconnected(wants); });
  }
  void stop_all(const detail::failure& why) {
    table.call_each(now, [&why](engine::operation& it, engine::out& wants) { it.stop(why, wants); });
  }
  /// The answer to the oldest request. Whether it was heard.
  bool answer(const std::string& data = {}) {
    client::reply what;
    what.data = data;
    return answer_oldest(session, table, what, now);
  }
  /// "exists 7" in the diary.
  static void ask(engine::out& wants, engine::tag as) {
    wants.request(as, client::request::exists{std::to_string(as)});
  }
  static void log(engine::out& wants, const std::string& text) { wants.log({log_level::info, text}); }

  instant now = std::chrono::seconds(100);
  diary seen;
  recorded_session session{seen};
  engine::operation_table table{session.services};
};

}  // namespace zklock::test_support
