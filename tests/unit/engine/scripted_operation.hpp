#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/engine/out.hpp"

namespace zklock::test_support {

using engine::instant;
using diary = std::vector<std::string>;

/// Writes each call into the diary: "1 begin". Does what a test has it do at the next call.
class scripted_operation final : public engine::operation {
 public:
  using script = std::function<void(engine::out&)>;

  scripted_operation(std::string name, diary& to) : name_(std::move(name)), diary_(to) {}

  void at_next_call(script what) { next_.push_back(std::move(what)); }

  void begin(engine::out& wants) override { note("begin", wants); }
  void connected(engine::out& wants) override { note("connected", wants); }
  void disconnected(engine::out& wants) override { note("disconnected", wants); }
  void connection_closed(engine::out& wants) override { note("connection closed", wants); }
  void session_over(const engine::session_end&, engine::out& wants) override { note("session over", wants); }
  void reply(engine::tag as, const client::reply_view& answer, engine::out& wants) override {
    last_data = answer.data;
    note("reply " + std::to_string(as), wants);
  }
  void watch_refused(engine::tag as, engine::out& wants) override {
    note("watch refused " + std::to_string(as), wants);
  }
  void covered(engine::out& wants) override { note("covered", wants); }
  void timer(engine::out& wants) override { note("timer", wants); }
  void stop(const detail::failure& why, engine::out& wants) override {
    stopped_by = why.ec;
    note("stop", wants);
    wants.finish();
  }
  /// A call of another operation, or of a test.
  void hear(const std::string& word, engine::out& wants) { note(word, wants); }
  [[nodiscard]] std::optional<instant> due() const override { return when; }

  std::optional<instant> when;  ///< due()
  std::error_code stopped_by;
  std::string last_data;

 private:
  void note(const std::string& call, engine::out& wants) {
    diary_.push_back(name_ + " " + call);
    if (!next_.empty()) {
      const script what = std::move(next_.front());
      next_.pop_front();
      what(wants);
    }
  }

  const std::string name_;
  diary& diary_;
  std::deque<script> next_;
};

}  // namespace zklock::test_support
