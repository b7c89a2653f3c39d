#include "tests/soak/store_judge.hpp"

#include <algorithm>
#include <utility>

namespace zklock::soak {

void store_judge::begin(const attempt_id& of, std::int64_t token, std::int64_t base) {
  under_way_.insert_or_assign(of, write{of, token, base});
}

void store_judge::end(const attempt_id& of, bool accepted) {
  const auto found = under_way_.find(of);
  if (found == under_way_.end()) return;
  if (accepted) accepted_.push_back(std::move(found->second));
  under_way_.erase(found);
}

std::vector<finding> store_judge::judge(std::int64_t value) {
  std::multimap<std::int64_t, write> known;    // by base
  std::multimap<std::int64_t, write> unknown;  // the same
  for (write& one : std::exchange(accepted_, {})) known.emplace(one.base, std::move(one));
  for (auto& [of, one] : std::exchange(under_way_, {})) unknown.emplace(one.base, std::move(one));
  std::vector<finding> found;
  for (const auto& [base, one] : known) {
    if (base >= value_ && base < value) continue;
    found.push_back({"store-exact",
                     lock_ + ": " + to_string(one.of) + "'s write of " + std::to_string(base + 1) +
                         " was accepted, but the store went from " + std::to_string(value_) + " to " +
                         std::to_string(value),
                     {one.of}});
  }
  for (std::int64_t base = value_; base < value; ++base) {
    const auto [first, last] = known.equal_range(base);
    const auto by_unknown = unknown.find(base);
    const auto count = std::distance(first, last);
    if (count > 1) {
      finding lost{"store-exact",
                   lock_ + ": an update was lost: more than one write on top of " + std::to_string(base)};
      for (auto one = first; one != last; ++one) lost.of.push_back(one->second.of);
      found.push_back(std::move(lost));
    } else if (count == 0 && by_unknown == unknown.end()) {
      found.push_back({"store-exact", lock_ + ": no worker has written " + std::to_string(base + 1), {}});
    }
    const write* const done = count > 0 ? &first->second : by_unknown != unknown.end() ? &by_unknown->second : nullptr;
    if (done == nullptr) continue;
    ++total_;
    if (done->token < token_) {
      found.push_back({"store-exact",
                       lock_ + ": " + to_string(done->of) + " wrote with token " + std::to_string(done->token) +
                           " after " + std::to_string(token_),
                       {done->of}});
    }
    token_ = std::max(token_, done->token);
  }
  value_ = value;
  return found;
}

}  // namespace zklock::soak
