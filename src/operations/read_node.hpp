#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "recipes/followed_node.hpp"
#include "src/operations/receiver.hpp"
#include "src/operations/repeated.hpp"

namespace zklock::operations {

struct read_result {
  struct node {
    std::string data;
    recipes::node_stat stat;
  };
  std::optional<node> found;  ///< nothing: there is no node, or it has failed
  detail::failure why;
};

/// Reads one node, once. `fresh`: behind a quorum write, so that it shows all that was written before.
class read_node final : public repeated {
 public:
  /// `path`: the user's.
  read_node(std::string path, bool fresh, instant until, std::shared_ptr<receiver<read_result>> told)
      : repeated(until), path_(std::move(path)), fresh_(fresh), told_(std::move(told)) {}

  void reply(engine::tag as, const client::reply_view& answer, engine::out& wants) override;
  void stop(const detail::failure& why, engine::out& wants) override;

 private:
  void ask(engine::out& wants) override;
  void forget_try() noexcept override {}

  const std::string path_;
  const bool fresh_;
  std::shared_ptr<receiver<read_result>> told_;
};

}  // namespace zklock::operations
