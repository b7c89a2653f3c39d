// What says in the queue that a contender has been granted, or only reads from now on.
#include <utility>

#include "src/session/session_core.hpp"

namespace zklock::detail {

void session_core::downgrade(const std::shared_ptr<hold>& writing, instant now) {
  const auto found = contenders_.find(writing->contender());
  if (found != contenders_.end() && found->second.proof == writing) {
    tell(found->first, recipes::event::downgrade{}, now);
  }
}

/// At once, so that nobody sees the lock without either: whoever waits behind the writer waits behind the reader.
void session_core::go_on_as_reader(std::uint64_t number, contender_shell& shell, instant now) {
  const std::string reader = node_path(shell, shell.machine.reader());
  client::request::multi both;
  both.operations.emplace_back(
      client::request::create{reader, shell.target->payload, client::create_mode::ephemeral, shell.target->acl});
  both.operations.emplace_back(client::request::remove{node_path(shell, shell.machine.own()), -1});
  if (shell.proof) {
    shell.proof->move_to(shell.target->path + "/" + shell.machine.reader());
  }
  send(number, purpose::go_on_as_reader, std::move(both), now);
}

void session_core::went_on_as_reader(std::uint64_t number, contender_shell& shell, client::code answer, instant now) {
  const bool refused = recipes::classify(answer) == recipes::outcome::not_done && answer != client::code::node_exists;
  if (refused && shell.proof) {
    shell.proof->stay();
    log_unmarked(shell, answer);
  }
  tell(number, recipes::event::marked{answer}, now);
}

void session_core::log_unmarked(const contender_shell& shell, client::code answer) {
  if (recipes::classify(answer) == recipes::outcome::not_done && answer != client::code::no_node) {
    world_.log(environment::severity::error, "contender " + node_path(shell, shell.machine.own()) +
                                                 " cannot be marked: " + std::string(recipes::name(answer)) +
                                                 "; who waits for the mark waits until it is given back");
  }
}

}  // namespace zklock::detail
