#include "tests/sim/transcript.hpp"

#include <algorithm>
#include <iterator>
#include <memory>

#include <zklock/loss.hpp>

#include "tests/sim/contender_nodes.hpp"

namespace zklock::sim {
namespace {

constexpr std::size_t id_size_min = 32;

}  // namespace

void transcript::add(const std::error_code& why) noexcept {
  add(std::string_view(why.category().name()));
  add(why.value());
}

/// A multi-lock's has no node but those of its parts.
void transcript::add(const detail::hold& hold) {
  add(hold.token().czxid);
  if (hold.token().turn > 0) {
    add(hold.token().turn);
  }
  add(hold.valid_until());
  add(to_string(hold.why_lost()));
  add(hold.parts().size());
  for (const std::shared_ptr<detail::hold>& part : hold.parts()) {
    add(*part);
  }
  if (hold.parts().empty()) {
    add(number_of_path(hold.node()));
  }
}

std::uint64_t transcript::number_of_path(std::string_view path) {
  digest sum;
  const bool may_have_id = path.size() >= id_size_min;
  const std::string_view id = may_have_id ? id_text_in(path.substr(path.rfind('/') + 1)) : std::string_view();
  if (id.empty()) {
    sum.add(path);
    return sum.value();
  }
  const auto begin = static_cast<std::size_t>(id.data() - path.data());
  sum.add(path.substr(0, begin));
  sum.add(number_of_id(id));
  sum.add(path.substr(begin + id.size()));
  return sum.value();
}

std::uint64_t transcript::number_of_id(std::string_view id) {
  digest digits;
  digits.add(id);
  const auto found = std::find(ids_.rbegin(), ids_.rend(), digits.value());
  if (found != ids_.rend()) {
    return static_cast<std::uint64_t>(std::distance(found, ids_.rend())) - 1;
  }
  ids_.push_back(digits.value());
  return ids_.size() - 1;
}

}  // namespace zklock::sim
