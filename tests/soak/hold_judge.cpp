#include "tests/soak/hold_judge.hpp"

#include <algorithm>
#include <utility>

namespace zklock::soak {
namespace {

std::string milliseconds(nanoseconds time) { return std::to_string(time.count() / 1'000'000) + " ms"; }

}  // namespace

void hold_judge::begin(const attempt_id& of, std::int64_t token, std::string node, instant asked, instant at) {
  spans_.insert_or_assign(of, span{of, token, std::move(node), at, at, asked, {}});
}

void hold_judge::still(const attempt_id& of, instant at) {
  if (const auto found = spans_.find(of); found != spans_.end()) {
    found->second.last = std::max(found->second.last, at);
    found->second.asked_last = std::max(found->second.asked_last, at);
  }
}

void hold_judge::forced_end(const std::string& node, instant at, instant told_by) {
  forced_.emplace(node, force{at, told_by});
}

std::vector<finding> hold_judge::judge() {
  std::vector<span> in_order;
  for (auto& [of, one] : std::exchange(spans_, {})) {
    if (const auto by_force = forced_.find(one.node); by_force != forced_.end()) one.forced = by_force->second;
    in_order.push_back(std::move(one));
  }
  forced_.clear();
  std::sort(in_order.begin(), in_order.end(), [](const span& a, const span& b) { return a.first < b.first; });
  std::vector<finding> found;
  judge_told(in_order, found);
  judge_overlaps(in_order, found);
  judge_tokens(in_order, found);
  return found;
}

void hold_judge::judge_told(const std::vector<span>& in_order, std::vector<finding>& found) const {
  for (const span& one : in_order) {
    if (!one.forced || one.asked_last <= one.forced->told_by) continue;
    found.push_back({"loss-told",
                     lock_ + ": " + to_string(one.of) + " held " + milliseconds(one.asked_last - one.forced->at) +
                         " after an operator began to end it, " + milliseconds(one.asked_last - one.forced->told_by) +
                         " after it had to be told (node " + one.node + ")",
                     {one.of}});
  }
}

void hold_judge::judge_overlaps(const std::vector<span>& in_order, std::vector<finding>& found) {
  const span* longest = nullptr;   // of those before: the one that ends last
  const span* unforced = nullptr;  // the same, as if no hold had been forced to end
  for (const span& one : in_order) {
    if (unforced != nullptr && one.first < unforced->last && one.first >= unforced->end()) ++excused_;
    if (longest != nullptr && one.first < longest->end() && one.first < one.end()) {
      const nanoseconds both = std::min(longest->end(), one.end()) - one.first;
      found.push_back({"one-holder",
                       lock_ + ": " + to_string(longest->of) + " and " + to_string(one.of) + " both held for " +
                           milliseconds(both) + " (nodes " + longest->node + ", " + one.node + ")",
                       {longest->of, one.of}});
    }
    if (longest == nullptr || one.end() > longest->end()) longest = &one;
    if (unforced == nullptr || one.last > unforced->last) unforced = &one;
  }
}

void hold_judge::judge_tokens(const std::vector<span>& in_order, std::vector<finding>& found) {
  const span* before = nullptr;
  for (const span& one : in_order) {
    if (one.forced && one.forced->at <= one.first) continue;  // granted before, but told so only after it was over
    if (one.token <= last_token_) {
      finding fallen{"tokens-rise",
                     lock_ + ": " + to_string(one.of) + " was granted later, with token " + std::to_string(one.token) +
                         " after " + std::to_string(last_token_),
                     {one.of}};
      if (before != nullptr) fallen.of.push_back(before->of);
      found.push_back(std::move(fallen));
    }
    last_token_ = std::max(last_token_, one.token);
    before = &one;
  }
}

}  // namespace zklock::soak
