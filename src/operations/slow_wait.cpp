#include "src/operations/slow_wait.hpp"

#include <utility>

#include "recipes/contender_data.hpp"
#include "recipes/holders.hpp"
#include "src/errors/printable.hpp"

namespace zklock::operations {
namespace {

std::string described(const recipes::contender_description& one) {
  std::string text;
  const auto add = [&text](std::string_view what, const std::string& said) {
    if (!said.empty()) {
      text += (text.empty() ? "" : ", ") + std::string(what) + said;
    }
  };
  add("label ", detail::printable_bytes(one.label));
  add("host ", detail::printable_bytes(one.host));
  add("pid ", one.pid ? std::to_string(*one.pid) : std::string());
  add("owner ", one.owner ? std::to_string(*one.owner) : std::string());
  return text.empty() ? "its node says nothing" : text;
}

std::string seconds(std::chrono::nanoseconds time) {
  const auto tenths = std::chrono::duration_cast<std::chrono::milliseconds>(time).count() / 100;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " s";
}

}  // namespace

void slow_wait::begin(engine::out& wants) {
  wants.request(listed, client::request::list{wants.full(lock_node_), client::no_watch});
}

void slow_wait::answered(engine::tag as, const client::reply_view& answer, engine::out& wants) {
  if (answer.code != client::code::ok) {
    return;
  }
  if (as == listed) {
    const auto queue = recipes::queue_among(answer.children, spec_.kind, spec_.as);
    if (!queue.empty()) {
      first_ = queue.front().name;
      wants.request(read, client::request::get{wants.full(lock_node_, first_), client::no_watch});
    }
    return;
  }
  wants.log({log_level::warning,
             "a call has waited " + seconds(waited_) + " for " + path_ + "; first in its queue: " + first_ + " (" +
                 described(recipes::parse_contender_data(answer.data, first_)) + ")",
             path_, wants.full(lock_node_, first_)});
}

}  // namespace zklock::operations
