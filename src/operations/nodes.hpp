#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "src/operations/hold_nodes.hpp"

namespace zklock::operations {

class contender;

/// The contenders whose nodes may be there, by number: from before the create until the node is known to be gone.
class nodes final : public hold_nodes {
 public:
  void add(contender& one);
  void remove(const contender& one);
  /// Null: it is not there (any more).
  [[nodiscard]] contender* find(std::uint64_t number) const;
  [[nodiscard]] std::size_t size() const noexcept { return contenders_.size(); }

  [[nodiscard]] bool node_in_doubt(const detail::hold& one) const override;
  void look_after(const detail::hold& one, engine::out& wants) override;

 private:
  std::map<std::uint64_t, contender*> contenders_;
};

}  // namespace zklock::operations
