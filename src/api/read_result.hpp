#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include <zklock/node.hpp>

#include "src/api/waited_operation.hpp"
#include "src/operations/read_node.hpp"

namespace zklock::detail {

[[nodiscard]] inline node_data data_of(operations::read_result::node&& found) {
  return {std::move(found.data), found.stat.version, found.stat.czxid, found.stat.mzxid};
}

[[nodiscard]] inline operations::read_result read(const std::shared_ptr<session_impl>& in, std::string path, bool fresh,
                                                  instant until, const std::stop_token& stop = {}) {
  return wait_for<operations::read_result>(
      in,
      [&](const auto& told) { return std::make_shared<operations::read_node>(std::move(path), fresh, until, told); },
      stop);
}

}  // namespace zklock::detail
