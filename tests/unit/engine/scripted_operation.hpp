#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "src/engine/ledger.hpp"
#include "src/engine/operation_table.hpp"

/// An operation and a host of an operation table that write down what happens to them.
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

/// Writes each wish into the diary: "send 1:7", "forget 1". Keeps the requests in a ledger, as the session does.
class scripted_host final : public engine::operation_table::host {
 public:
  explicit scripted_host(diary& to) : diary_(to) {}

  engine::session_facts facts(instant now) override {
    engine::session_facts known;
    known.now = now;
    known.connected = connected;
    known.timeout = std::chrono::seconds(6);
    known.root = &root_;
    return known;
  }
  engine::operation_table::event apply(std::uint64_t operation, engine::any_wish&& what, instant) override {
    return std::visit([&](auto&& one) { return done(operation, one); }, std::move(what));
  }
  void forget(std::uint64_t operation) override {
    write("forget", operation);
    requests.forget(operation);
  }

  bool connected = true;
  bool watches_are_refused = false;
  bool covered = false;  ///< the local deadline is ahead
  engine::ledger requests;
  std::deque<client::request_id> sent;  ///< and not answered by a test, the oldest first
  std::function<void()> on_send;        ///< done from within each send
  std::function<void()> on_log;

 private:
  using event = engine::operation_table::event;

  event done(std::uint64_t operation, const engine::wish::request& one) {
    write("send", operation, one.as, one.heard_first ? " first" : "");
    sent.push_back(requests.add(operation, one.as, {.first = one.heard_first}));
    return do_now(on_send);
  }
  event done(std::uint64_t operation, const engine::wish::quorum_write& one) {
    write("quorum write", operation, one.as);
    sent.push_back(requests.add(operation, one.as, {.quorum = true}));
    return do_now(on_send);
  }
  event done(std::uint64_t operation, const engine::wish::watch& one) {
    write(one.on_children ? "list and watch" : "get and watch", operation, one.as, " " + one.path);
    if (!watches_are_refused) {
      return {};
    }
    return [as = one.as](engine::operation& it, engine::out& wants) { it.watch_refused(as, wants); };
  }
  event done(std::uint64_t operation, const engine::wish::forget_watch& one) {
    write("forget watch", operation, one.as);
    return {};
  }
  event done(std::uint64_t operation, const engine::wish::forget_requests&) {
    write("forget requests", operation);
    requests.forget(operation);
    return {};
  }
  event done(std::uint64_t operation, const engine::wish::await_cover&) {
    write("await cover", operation);
    if (!covered) {
      return {};
    }
    return [](engine::operation& it, engine::out& wants) { it.covered(wants); };
  }
  event done(std::uint64_t operation, const engine::wish::await_no_cover&) {
    write("await no cover", operation);
    return {};
  }
  event done(std::uint64_t, const engine::wish::count& one) {
    diary_.push_back(std::string(one.what == engine::counted::node ? "nodes " : "holds ") + std::to_string(one.by));
    return {};
  }
  event done(std::uint64_t, const engine::wish::note_no_containers&) {
    diary_.emplace_back("no containers");
    return {};
  }
  event done(std::uint64_t, const engine::wish::report_loss&) {
    diary_.emplace_back("loss");
    return {};
  }
  event done(std::uint64_t, const engine::wish::log& one) {
    diary_.push_back("log " + one.line->text);
    return do_now(on_log);
  }
  template <class Other>
  event done(std::uint64_t, const Other&) {
    ADD_FAILURE() << "a wish about operations is the table's own";
    return {};
  }

  void write(const std::string& what, std::uint64_t operation) {
    diary_.push_back(what + " " + std::to_string(operation));
  }
  void write(const std::string& what, std::uint64_t operation, engine::tag as, const std::string& more = {}) {
    diary_.push_back(what + " " + std::to_string(operation) + ":" + std::to_string(as) + more);
  }
  static event do_now(const std::function<void()>& what) {
    if (what) {
      what();
    }
    return {};
  }

  diary& diary_;
  const std::string root_ = "/root";
};

/// Brings the answer to the oldest request. Whether an operation has heard it.
inline bool answer_oldest(scripted_host& host, engine::operation_table& table, const client::reply_view& what,
                          instant now) {
  const auto asked = host.requests.take(host.sent.front());
  host.sent.pop_front();
  return table.call(asked->owner, now,
                    [&](engine::operation& it, engine::out& wants) { it.reply(asked->as, what, wants); });
}

}  // namespace zklock::test_support
