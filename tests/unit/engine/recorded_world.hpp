#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "src/engine/environment.hpp"
#include "src/port/client.hpp"

/// Servers that answer nothing, and a world, that write down what is asked of them.
namespace zklock::test_support {

using diary = std::vector<std::string>;

inline std::string name_of(const client::any_request& what) {
  struct {
    std::string operator()(const client::request::create& one) const { return "create " + one.path; }
    std::string operator()(const client::request::get& one) const { return "get " + one.path; }
    std::string operator()(const client::request::list& one) const { return "list " + one.path; }
    std::string operator()(const client::request::exists& one) const { return "exists " + one.path; }
    std::string operator()(const client::request::get_acl& one) const { return "get_acl " + one.path; }
    std::string operator()(const client::request::set& one) const { return "set " + one.path; }
    std::string operator()(const client::request::remove& one) const { return "remove " + one.path; }
    std::string operator()(const client::request::sync&) const { return "sync"; }
    std::string operator()(const client::request::multi&) const { return "multi"; }
  } const name;
  return std::visit(name, what);
}

class recorded_servers final : public client::factory {
 public:
  explicit recorded_servers(diary& to) : diary_(to) {}

  std::unique_ptr<client::connection> open(const client::parameters&, client::observer&) override {
    if (!resolvable) {
      throw std::runtime_error("no such host");
    }
    diary_.emplace_back("open");
    return std::make_unique<connection>(*this);
  }
  [[nodiscard]] bool adopted() const noexcept override { return is_adopted; }
  [[nodiscard]] std::size_t server_count() const noexcept override { return 3; }
  [[nodiscard]] client::watch_budget budget_of_watches() const noexcept override { return budget; }
  [[nodiscard]] std::string describe() const override { return "recorded"; }

  bool resolvable = true;
  bool is_adopted = false;
  client::watch_budget budget;
  std::vector<client::request_id> sent;  ///< the latest last
  std::vector<client::any_request> requests;
  std::function<void()> on_submit;  ///< done from within each

 private:
  class connection final : public client::connection {
   public:
    explicit connection(recorded_servers& of) : of_(of) {}
    void submit(client::request_id id, client::any_request&& what) override {
      of_.sent.push_back(id);
      of_.diary_.push_back(name_of(what));
      of_.requests.push_back(std::move(what));
      if (of_.on_submit) {
        of_.on_submit();
      }
    }
    void forget(std::string_view path, client::watch_id, watch_kind kind) override {
      static constexpr const char* kinds[] = {"data ", "exists ", "children "};
      of_.diary_.push_back(std::string("forget ") + kinds[static_cast<std::size_t>(kind)] + std::string(path));
    }
    void poll() override { of_.diary_.emplace_back("poll"); }
    void close() override { of_.diary_.emplace_back("close"); }

   private:
    recorded_servers& of_;
  };

  diary& diary_;
};

class recorded_world final : public detail::environment, private client::observer {
 public:
  explicit recorded_world(diary& to) : diary_(to) {}

  recipes::contender_id next_id() override { return {}; }
  std::string describe_contender(recipes::contender_mode, std::uint64_t, std::string_view, std::string) override {
    return {};
  }
  client::observer& observer_of(std::uint64_t) override { return *this; }
  void dispose(std::uint64_t generation, std::unique_ptr<client::connection> dead) override {
    diary_.push_back("dispose " + std::to_string(generation) + (dead ? "" : " of nothing"));
  }
  std::shared_ptr<detail::hold> make_hold(detail::hold_facts of) override {
    return std::make_shared<detail::hold>(std::move(of));
  }
  void notice_of_loss(std::shared_ptr<detail::hold>) override { diary_.emplace_back("loss"); }
  void notify(std::function<void()> what, std::string name) override {
    diary_.push_back("notify " + name);
    notices.push_back(std::move(what));
  }
  void state_changed(session_state now, bool new_session) override {
    static constexpr const char* names[] = {"connecting", "connected", "suspended", "expired", "auth failed", "closed"};
    diary_.push_back(std::string(names[static_cast<std::size_t>(now)]) + (new_session ? ", new session" : ""));
  }
  void closed(std::error_code) override { diary_.emplace_back("closed"); }
  void log(log_line line) override {
    diary_.push_back("log " + line.text);
    lines.push_back(std::move(line));
    if (on_log) {
      on_log();
    }
  }

  std::vector<log_line> lines;
  std::vector<std::function<void()>> notices;
  std::function<void()> on_log;  ///< done from within each

 private:
  void on_reply(client::request_id, const client::reply_view&) override {}
  void on_node_event(client::watch_id, client::node_event) override {}
  void on_session_event(const client::session_event&) override {}
  void on_closed(bool) override {}

  diary& diary_;
};

}  // namespace zklock::test_support
