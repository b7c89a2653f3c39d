// Linked from the objects of recipes/, src/engine/, src/operations/ and what they name (errors, the check of requests), and
// the standard library, and nothing else: one session with one acquisition, from start to end.
#include <cstdio>
#include <deque>
#include <string>
#include <utility>
#include <variant>

#include "src/engine/session_engine.hpp"
#include "src/operations/lock_operations.hpp"

namespace {

using namespace std::chrono_literals;
namespace detail = zklock::detail;
namespace client = zklock::client;
namespace operations = zklock::operations;

struct request_sent {
  client::request_id id;
  client::any_request what;
};

/// Servers and world: what is asked of them waits in lists.
class stub final : public client::factory, public client::observer, public detail::environment {
 public:
  std::deque<request_sent> requests;
  std::string node;  ///< the contender's
  bool removed = false;
  bool closing = false;
  bool over = false;

  client::reply answer(const client::any_request& what) {
    client::reply answer;
    if (const auto* create = std::get_if<client::request::create>(&what)) {
      answer.name = node = create->path + "0000000000";
      answer.stat.czxid = 7;
    } else if (std::holds_alternative<client::request::list>(what)) {
      answer.children = {node.substr(node.rfind('/') + 1)};
    } else if (const auto* remove = std::get_if<client::request::remove>(&what)) {
      removed = remove->path == node;
    }
    return answer;
  }

 private:
  struct port final : client::connection {
    explicit port(stub& on) : at(on) {}
    void submit(client::request_id id, client::any_request&& what) override {
      at.requests.push_back({id, std::move(what)});
    }
    void forget(std::string_view, client::watch_id, watch_kind) override {}
    void close() override { at.closing = true; }
    stub& at;
  };

  std::unique_ptr<client::connection> open(const client::parameters&, client::observer&) override {
    return std::make_unique<port>(*this);
  }
  bool adopted() const noexcept override { return false; }
  std::size_t server_count() const noexcept override { return 3; }
  std::string describe() const override { return "stub"; }

  void on_reply(client::request_id, const client::reply_view&) override {}
  void on_node_event(client::watch_id, client::node_event) override {}
  void on_session_event(const client::session_event&) override {}
  void on_closed(bool) override {}

  zklock::recipes::contender_id next_id() override { return {1, 2}; }
  std::string describe_contender(zklock::recipes::contender_mode, std::uint64_t, std::string_view,
                                 std::string) override {
    return "";
  }
  client::observer& observer_of(std::uint64_t) override { return *this; }
  void dispose(std::uint64_t, std::unique_ptr<client::connection>) override {}
  std::shared_ptr<detail::hold> make_hold(detail::hold_facts of) override {
    return std::make_shared<detail::hold>(std::move(of));
  }
  void notice_of_loss(std::shared_ptr<detail::hold>) override {}
  void notify(std::function<void()>, std::string) override {}
  void state_changed(zklock::session_state, bool) override {}
  void closed(std::error_code result) override { over = !result; }
  void log(zklock::log_line) override {}
};

template <class Result>
struct told final : operations::receiver<Result> {
  void complete(Result result) noexcept override { last = std::move(result); }
  Result last{};
};

}  // namespace

int main() {
  constexpr std::uint64_t first = 1;
  stub world;
  detail::session_config config;
  config.timeout = 10s;
  zklock::engine::session_engine engine(config, world, world);
  operations::lock_operations locks(engine);
  const auto answer_all = [&](detail::instant now) {
    while (!world.requests.empty()) {
      const request_sent one = std::move(world.requests.front());
      world.requests.pop_front();
      engine.on_reply(first, one.id, world.answer(one.what), now);
    }
  };

  engine.open(100s);
  engine.on_session_event(first, {client::connection_state::connected, 5, 10s}, 100s);
  auto lock = std::make_shared<detail::lock_target>();
  lock->path = "/lock";
  const auto acquired = std::make_shared<told<operations::acquire_result>>();
  locks.begin_acquire(operations::acquire::make({{{lock, {}}}}, acquired), 101s);
  answer_all(102s);
  const std::shared_ptr<detail::hold> hold = acquired->last.hold;
  const bool held = hold && hold->held_at(103s) && hold->token() == zklock::recipes::fencing_token{7};
  if (hold && hold->end_by_release(103s)) {
    locks.release(hold, nullptr, 103s);
  }
  answer_all(104s);
  engine.close(105s, 104s);
  if (world.closing) {
    engine.on_closed(first, true, 104s);
  }

  std::printf("held %d, removed %d, closed %d\n", held, world.removed, world.over);
  return held && world.removed && world.over ? 0 : 1;
}
