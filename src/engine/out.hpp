#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <boost/container/small_vector.hpp>

#include <zklock/log.hpp>

#include "recipes/joined.hpp"
#include "src/engine/deadline_keeper.hpp"
#include "src/engine/environment.hpp"
#include "src/engine/operation.hpp"
#include "src/engine/spare_texts.hpp"
#include "src/engine/watch_table.hpp"

namespace zklock::engine {

class session_services;

/// What an operation may know of its session.
struct session_facts {
  instant now{0};
  bool connected = false;
  bool suspended = false;  ///< it was connected before, and may be again
  bool adopted = false;    ///< the handle belongs to the program
  bool containers = true;  ///< the servers know containers, as far as is known
  bool proven = false;     ///< a quorum write of this session was answered: its reads are no older than any before it
  bool current = false;    ///< and something on this connection: what watches would have told has been told
  std::int64_t id = 0;     ///< 0: there is no session
  std::chrono::nanoseconds timeout{0};  ///< the least that the servers have granted
  std::chrono::nanoseconds margin{0};   ///< from the end of a hold to that of its node, where no client gives it back
  std::size_t slice = 64;               ///< how many others a call may tell something; the rest in a later call
  bool telling_many = false;            ///< what happens to all: others are still to be told
  const std::string* root = nullptr;    ///< goes in front of every path
  spare_texts* spares = nullptr;        ///< null: none
  const std::shared_ptr<detail::session_deadline>* deadline = nullptr;
  detail::environment* world = nullptr;
};

/// What an operation does in one call. What it sends, counts and logs is done at once; what concerns operations is done
/// behind the call, in this order.
class out {
 public:
  out(session_services& services, const session_facts& session, std::uint64_t number) noexcept
      : services_(services), session_(session), number_(number) {}
  out(const out&) = delete;
  out& operator=(const out&) = delete;

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

  // ---- done at once
  /// Sent behind what is under way; its answer comes as reply(`as`), never from within this call. Without a connection
  /// object nothing is sent, and no answer comes.
  void request(tag as, client::any_request&& what);
  /// The same, and its answer comes before it moves the deadline: before the losses that it may be the end of.
  void request_heard_first(tag as, client::any_request&& what);
  /// A request that changes nothing and asks the quorum. Its answer is `ok`, or a failure of the connection.
  void quorum_write(tag as);
  /// A get (a list) with a watch. One that fails leaves no watch. A watch under this tag is replaced.
  void get_and_watch(tag as, std::string path) { watch(as, std::move(path), watch_table::kind::data); }
  void list_and_watch(tag as, std::string path) { watch(as, std::move(path), watch_table::kind::children); }
  /// Stat alone. Where there is no node, the watch stands as well, for its creation.
  void exists_and_watch(tag as, std::string path) { watch(as, std::move(path), watch_table::kind::exists); }
  void forget_watch(tag as);
  /// 0 to 1: how much of the budget is used up.
  [[nodiscard]] double share_of_watches() const;
  /// No answer to what this operation has under way comes any more.
  void forget_requests();
  /// covered() follows as soon as the local deadline is ahead; never before all of this call is done.
  void await_cover();
  void await_no_cover();
  /// proven() follows as soon as session().proven and session().current are true; never before all of this call is done.
  /// One request for all operations of a session, a connection.
  void await_proof();
  void count(counted what, int by);
  /// A server has refused a container as something that it does not know.
  void note_no_containers();
  void report_loss(std::shared_ptr<detail::hold> lost);
  void report_revocation(std::shared_ptr<detail::hold> asked);
  void log(log_line line);
  /// A function of the user's is called by the notification thread. `name`: for messages.
  void notify(std::function<void()> what, std::string name);

  // ---- done behind the call
  /// Another operation.
  void begin(std::shared_ptr<operation> what) { steps_.emplace_back(step::begin{std::move(what)}); }
  /// A call of another operation, with an `out` of its own, and all that this one wants of others in turn; none if that
  /// operation has finished.
  void call(std::uint64_t callee, std::function<void(out&)> what) {
    steps_.emplace_back(step::call{callee, nullptr, std::move(what)});
  }
  /// The same of one that is, perhaps, begun by an earlier step.
  void call(std::shared_ptr<operation> callee, std::function<void(out&)> what) {
    steps_.emplace_back(step::call{0, std::move(callee), std::move(what)});
  }
  /// begin() once more, when all else that this event gives rise to is done.
  void begin_again() { steps_.emplace_back(step::begin_again{}); }
  /// Ends this operation, and begins another one in its place: under its number, in its turn. It should be the last step.
  void replace_with(std::shared_ptr<operation> what) { steps_.emplace_back(step::replace_with{std::move(what)}); }
  /// No call comes any more. Its watches are forgotten.
  void finish() { steps_.emplace_back(step::finish{}); }

  // ---- for the operation table
  struct step {
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
    struct finish {};
    using any = std::variant<begin, call, begin_again, replace_with, finish>;
  };
  using steps = boost::container::small_vector<step::any, 2>;  ///< seldom more
  [[nodiscard]] steps& behind() noexcept { return steps_; }
  /// What the operation itself is told then, unless it has finished.
  using events = boost::container::small_vector<std::function<void(operation&, out&)>, 1>;
  [[nodiscard]] events& told() noexcept { return told_; }

 private:
  void watch(tag as, std::string path, watch_table::kind on);

  session_services& services_;
  const session_facts& session_;
  const std::uint64_t number_;
  steps steps_;
  events told_;
};

}  // namespace zklock::engine
