#pragma once

#include <functional>
#include <optional>
#include <system_error>
#include <utility>

#include <zklock/error.hpp>
#include <zklock/log.hpp>

#include "src/engine/operation.hpp"
#include "src/engine/out.hpp"

namespace zklock::operations {

/// Says again and again that something goes on which should have ended, until it is stopped.
class overrun final : public engine::operation {
 public:
  overrun(std::function<log_line()> says, engine::instant interval) : says_(std::move(says)), interval_(interval) {}

  void begin(engine::out& wants) override { due_ = wants.session().now + interval_; }
  void timer(engine::out& wants) override {
    wants.log(says_());
    begin(wants);
  }
  void closed(std::error_code, engine::out& wants) override { wants.finish(); }
  void stop(const detail::failure& why, engine::out& wants) override {
    if (!(wants.session().adopted && why.ec == errc::session_expired)) {  // else it goes on
      wants.finish();
    }
  }
  [[nodiscard]] std::optional<engine::instant> due() const override { return due_; }

 private:
  const std::function<log_line()> says_;
  const engine::instant interval_;
  std::optional<engine::instant> due_;
};

}  // namespace zklock::operations
