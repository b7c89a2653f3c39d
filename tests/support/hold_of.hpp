#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "src/engine/hold.hpp"

namespace zklock::test_support {

/// Of a node by its path.
inline detail::hold_facts hold_of(std::shared_ptr<detail::session_deadline> until, detail::fencing_token token,
                                  std::uint64_t contender, std::string path, const std::string& node,
                                  bool untouched = true) {
  const std::size_t name = node.rfind('/') + 1;
  return {.until = std::move(until),
          .token = token,
          .contender = contender,
          .path = std::make_shared<const std::string>(std::move(path)),
          .lock_node = std::make_shared<const std::string>(node.substr(0, name - 1)),
          .node = node.substr(name),
          .version = untouched ? 0 : -1};
}

}  // namespace zklock::test_support
