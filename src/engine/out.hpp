#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <boost/container/small_vector.hpp>

#include <zklock/log.hpp>

#include "recipes/joined.hpp"
#include "src/engine/environment.hpp"
#include "src/engine/operation.hpp"
#include "src/engine/spare_texts.hpp"

namespace zklock::engine {

/// What an operation may know of its session.
struct session_facts {
  instant now{0};
  bool connected = false;
  bool suspended = false;               ///< it was connected before, and may be again
  bool adopted = false;                 ///< the handle belongs to the program
  bool containers = true;               ///< the servers know containers, as far as is known
  std::int64_t id = 0;                  ///< 0: there is no session
  std::chrono::nanoseconds timeout{0};  ///< the least that the servers have granted
  std::size_t slice = 64;               ///< how many others a call may tell something; the rest in a later call
  bool telling_many = false;            ///< what happens to all: others are still to be told
  const std::string* root = nullptr;    ///< goes in front of every path
  spare_texts* spares = nullptr;        ///< null: none
  const std::shared_ptr<detail::session_deadline>* deadline = nullptr;
  detail::environment* world = nullptr;
};

/// What the engine counts for the operations.
enum class counted : std::uint8_t {
  node,  ///< a contender's, from before its create until it is known to be gone: the session is kept for it
  hold,  ///< told to a caller: the local deadline is kept ahead for it
};

/// What an operation wants done, in this order.
namespace wish {
struct request {
  request(tag answer, client::any_request&& asked, bool first)
      : as(answer), what(std::move(asked)), heard_first(first) {}

  tag as;
  client::any_request what;
  bool heard_first;
};
struct quorum_write {
  tag as;
};
struct watch {
  tag as;
  std::string path;
  bool on_children;
};
struct forget_watch {
  tag as;
};
struct forget_requests {};
struct await_cover {};
struct await_no_cover {};
struct count {
  counted what;
  int by;
};
struct begin {
  std::shared_ptr<operation> what;
};
struct call {
  std::uint64_t number;
  std::shared_ptr<operation> callee;  ///< if there is no number
  std::function<void(out&)> what;
};
struct begin_again {};
struct replace_with {
  std::shared_ptr<operation> what;
};
struct note_no_containers {};
struct report_loss {
  std::shared_ptr<detail::hold> lost;
};
struct log {
  std::shared_ptr<log_line> line;  ///< seldom: kept small
};
struct finish {};
}  // namespace wish

using any_wish =
    std::variant<wish::request, wish::quorum_write, wish::watch, wish::forget_watch, wish::forget_requests,
                 wish::await_cover, wish::await_no_cover, wish::count, wish::begin, wish::call, wish::begin_again,
                 wish::replace_with, wish::note_no_containers, wish::report_loss, wish::log, wish::finish>;

/// Collects what an operation wants in one call.
class out {
 public:
  out(const session_facts& session, std::uint64_t number) noexcept : session_(session), number_(number) {}

  [[nodiscard]] const session_facts& session() const noexcept { return session_; }
  [[nodiscard]] std::string full(std::string_view path) const {
    return recipes::joined({*session_.root, path}, spare_text());
  }
  /// Of a child.
  [[nodiscard]] std::string full(std::string_view path, std::string_view child) const {
    return recipes::joined({*session_.root, path, "/", child}, spare_text());
  }
  /// Empty, perhaps with the memory of what was sent before.
  [[nodiscard]] std::string spare_text() const {
    return session_.spares != nullptr ? session_.spares->take() : std::string();
  }
  [[nodiscard]] std::shared_ptr<detail::hold> make_hold(detail::hold_facts of) const {
    of.until = *session_.deadline;
    return session_.world->make_hold(std::move(of));
  }
  /// Of the operation that is called.
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }

  /// Sent behind what is under way; its answer comes as reply(`as`). Without a connection object nothing is sent, and no
  /// answer comes.
  void request(tag as, client::any_request&& what) {
    wishes_.emplace_back(std::in_place_type<wish::request>, as, std::move(what), false);
  }
  /// The same, and its answer comes before it moves the deadline: before the losses that it may be the end of.
  void request_heard_first(tag as, client::any_request&& what) {
    wishes_.emplace_back(std::in_place_type<wish::request>, as, std::move(what), true);
  }
  /// A request that changes nothing and asks the quorum. Its answer is `ok`, or a failure of the connection.
  void quorum_write(tag as) { wishes_.emplace_back(wish::quorum_write{as}); }
  /// A get (a list) with a watch. One that fails leaves no watch. A watch under this tag is replaced.
  void get_and_watch(tag as, std::string path) { wishes_.emplace_back(wish::watch{as, std::move(path), false}); }
  void list_and_watch(tag as, std::string path) { wishes_.emplace_back(wish::watch{as, std::move(path), true}); }
  void forget_watch(tag as) { wishes_.emplace_back(wish::forget_watch{as}); }
  /// No answer to what this operation has under way comes any more.
  void forget_requests() { wishes_.emplace_back(wish::forget_requests{}); }

  /// covered() follows as soon as the local deadline is ahead; never before all wishes of this call are applied.
  void await_cover() { wishes_.emplace_back(wish::await_cover{}); }
  void await_no_cover() { wishes_.emplace_back(wish::await_no_cover{}); }
  void count(counted what, int by) { wishes_.emplace_back(wish::count{what, by}); }

  /// Another operation.
  void begin(std::shared_ptr<operation> what) { wishes_.emplace_back(wish::begin{std::move(what)}); }
  /// A call of another operation, with an `out` of its own, done before what is wanted behind it; none if that operation
  /// has finished.
  void call(std::uint64_t callee, std::function<void(out&)> what) {
    wishes_.emplace_back(wish::call{callee, nullptr, std::move(what)});
  }
  /// The same of one that is, perhaps, begun by an earlier wish.
  void call(std::shared_ptr<operation> callee, std::function<void(out&)> what) {
    wishes_.emplace_back(wish::call{0, std::move(callee), std::move(what)});
  }
  /// begin() once more, when all else that this event gives rise to is done.
  void begin_again() { wishes_.emplace_back(wish::begin_again{}); }

  /// Ends this operation, and begins another one in its place: under its number, in its turn. It should be the last wish.
  void replace_with(std::shared_ptr<operation> what) { wishes_.emplace_back(wish::replace_with{std::move(what)}); }

  /// A server has refused a container as something that it does not know.
  void note_no_containers() { wishes_.emplace_back(wish::note_no_containers{}); }
  void report_loss(std::shared_ptr<detail::hold> lost) { wishes_.emplace_back(wish::report_loss{std::move(lost)}); }
  void log(log_line line) { wishes_.emplace_back(wish::log{std::make_shared<log_line>(std::move(line))}); }
  /// No call comes any more. Its watches are forgotten.
  void finish() { wishes_.emplace_back(wish::finish{}); }

  /// To be applied one by one, while nothing more is wanted.
  [[nodiscard]] std::span<any_wish> wishes() noexcept { return {wishes_.data(), wishes_.size()}; }

 private:
  const session_facts& session_;
  const std::uint64_t number_;
  boost::container::small_vector<any_wish, 4> wishes_;  ///< seldom more
};

}  // namespace zklock::engine
