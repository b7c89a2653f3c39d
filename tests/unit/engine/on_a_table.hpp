#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/engine/scripted_operation.hpp"

namespace zklock::test_support {

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
    return answer_oldest(host, table, what, now);
  }
  static void sync(engine::out& wants, engine::tag as) { wants.request(as, client::request::sync{"/"}); }
  static void log(engine::out& wants, const std::string& text) { wants.log({log_level::info, text}); }

  instant now = std::chrono::seconds(100);
  diary seen;
  scripted_host host{seen};
  engine::operation_table table{host};
};

}  // namespace zklock::test_support
