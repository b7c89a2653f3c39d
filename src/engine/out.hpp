#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "src/engine/environment.hpp"
#include "src/engine/operation.hpp"

namespace zklock::engine {

/// What an operation may know of its session.
struct session_facts {
  instant now{0};
  bool connected = false;
  std::int64_t id = 0;                 ///< 0: there is no session
  std::chrono::nanoseconds timeout{0};  ///< the least that the servers have granted
  bool adopted = false;                ///< the handle belongs to the program
  bool containers = true;              ///< the servers know containers, as far as is known
  const std::string* root = nullptr;   ///< goes in front of every path
};

/// What an operation wants, in the order in which the engine is to do it.
class out {
 public:
  struct request_wanted {
    tag as;
    client::any_request what;
    bool first;
  };
  struct requests_forgotten {};
  struct containers_refused {};
  struct line {
    detail::environment::severity level;
    std::string text;
  };
  struct end {};
  using wish = std::variant<request_wanted, requests_forgotten, containers_refused, line, end>;

  explicit out(const session_facts& session) noexcept : session_(session) {}

  [[nodiscard]] const session_facts& session() const noexcept { return session_; }
  [[nodiscard]] std::string full(std::string_view path) const { return *session_.root + std::string(path); }

  /// Sent behind what is under way, if there is a connection object; its answer comes as reply(`as`).
  void request(tag as, client::any_request what) { wishes_.emplace_back(request_wanted{as, std::move(what), false}); }
  /// The same, and its answer comes before it moves the deadline: before the losses that it may be the end of.
  void request_heard_first(tag as, client::any_request what) {
    wishes_.emplace_back(request_wanted{as, std::move(what), true});
  }
  /// No answer to what this operation has under way comes any more.
  void forget_requests() { wishes_.emplace_back(requests_forgotten{}); }
  /// A server has refused a container as something that it does not know.
  void note_containers_refused() { wishes_.emplace_back(containers_refused{}); }
  void log(detail::environment::severity level, std::string text) {
    wishes_.emplace_back(line{level, std::move(text)});
  }
  /// No call comes any more.
  void finished() { wishes_.emplace_back(end{}); }

  [[nodiscard]] std::vector<wish> take() noexcept { return std::move(wishes_); }

 private:
  const session_facts& session_;
  std::vector<wish> wishes_;
};

}  // namespace zklock::engine
