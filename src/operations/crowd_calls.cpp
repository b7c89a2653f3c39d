#include "src/operations/crowd_calls.hpp"

#include <utility>

#include "src/operations/contender_operation.hpp"

namespace zklock::operations {

/// The rest is put off first: what the first ones ask for finds that others are still to be told.
void crowd_calls::tell(crowd&& to, engine::out& wants) {
  auto all = std::make_shared<crowd>(std::move(to));
  const std::vector<std::uint64_t> several = all->next(wants.session().slice);
  if (several.size() == wants.session().slice) {
    put_off(std::shared_ptr(all), wants);
  }
  tell_these(several, all, wants);
}

void crowd_calls::call_behind(std::function<void(engine::out&)>&& then, engine::out& wants) {
  put_off(std::make_shared<crowd>(crowd{[](std::size_t) { return std::vector<std::uint64_t>(); }, {}, std::move(then)}),
          wants);
}

void crowd_calls::put_off(std::shared_ptr<crowd>&& to, engine::out& wants) {
  wants.call(number(), [this, all = std::move(to)](engine::out& its) {
    since_ = its.session().now;
    left_.push_back(all);
  });
}

void crowd_calls::timer(engine::out& wants) {
  since_ = wants.session().now;
  const std::shared_ptr<crowd> to = left_.front();
  const std::vector<std::uint64_t> several = to->next(wants.session().slice);
  tell_these(several, to, wants);
  if (several.size() < wants.session().slice) {
    wants.call(number(), [this, to](engine::out& its) {  // behind those that were told just now
      left_.pop_front();
      if (to->then) {
        to->then(its);
      }
    });
  }
}

void crowd_calls::tell_these(const std::vector<std::uint64_t>& several, const std::shared_ptr<crowd>& to,
                             engine::out& wants) const {
  for (const std::uint64_t number : several) {
    if (contender_operation* const one = nodes_.find(number)) {
      wants.call(number, [one, to](engine::out& its) { to->tell(*one, its); });
    }
  }
}

}  // namespace zklock::operations
