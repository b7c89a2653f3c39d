#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include <zklock/error.hpp>

#include "src/engine/operation.hpp"
#include "src/engine/out.hpp"
#include "src/operations/receiver.hpp"

namespace zklock::operations {

struct local_wait_result {
  bool came = false;
  std::error_code why{};  ///< else; no error: not in time
};

/// A wait for what is seen without a request. The expiry of an adopted handle does not end it.
class local_wait final : public engine::operation {
 public:
  /// `came`: on the strand, when it begins, at each connection, and in look().
  local_wait(std::function<bool(const engine::session_facts&)> came, std::optional<engine::instant> until,
             std::shared_ptr<receiver<local_wait_result>> told)
      : came_(std::move(came)), until_(until), told_(std::move(told)) {}

  void look(engine::out& wants) {
    if (told_ && came_(wants.session())) {
      answer({true}, wants);
    }
  }

  void begin(engine::out& wants) override { look(wants); }
  void connected(engine::out& wants) override { look(wants); }
  void timer(engine::out& wants) override { answer({}, wants); }
  void stop(const detail::failure& why, engine::out& wants) override {
    look(wants);
    if (!(wants.session().adopted && why.ec == errc::session_expired)) {  // readopt()
      answer({false, why.ec}, wants);
    }
  }
  [[nodiscard]] std::optional<engine::instant> due() const override { return until_; }

 private:
  void answer(local_wait_result result, engine::out& wants) {
    if (const auto told = std::exchange(told_, nullptr)) {
      came_ = nullptr;
      told->complete(result);
      wants.finish();
    }
  }

  std::function<bool(const engine::session_facts&)> came_;
  const std::optional<engine::instant> until_;
  std::shared_ptr<receiver<local_wait_result>> told_;
};

}  // namespace zklock::operations
