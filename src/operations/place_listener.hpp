#pragma once

#include <cstddef>
#include <variant>
#include <vector>

#include <zklock/loss.hpp>

#include "src/engine/operation.hpp"

namespace zklock::operations {

/// What becomes of a contender, as it tells the operation that it is a place of.
namespace place_is {

struct granted {};
/// It stands behind others, and waits: told where it was asked for, once.
struct waiting {};
/// Its machine says why.
struct refused {};
/// Void: it takes another contender to go on.
struct void_now {};
struct lost {  // small: a grant is told in a std::function without memory of its own
  loss_reason why;
};
/// Its hold was given back. Only a hold that is a part of another one is heard of so.
struct released {};
/// Another client asks its holder to let go. Only of a hold that is a part of another one, or has turns.
struct asked_for {};
/// Another client may want the lock. Only of a hold that has turns.
struct wanted {};

}  // namespace place_is

using place_event = std::variant<place_is::granted, place_is::waiting, place_is::refused, place_is::void_now,
                                 place_is::lost, place_is::released, place_is::asked_for, place_is::wanted>;

class acquire;

/// An operation with contenders, each of which has a place there.
class place_listener : public engine::operation {
 public:
  virtual void on_place_event(std::size_t place, const place_event& what, engine::out& wants) = 0;
  /// The calls that its contenders wait for.
  virtual void add_waiting_calls(std::vector<const acquire*>&) const {}
};

}  // namespace zklock::operations
