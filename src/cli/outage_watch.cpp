#include "src/cli/outage_watch.hpp"

#include <utility>

namespace zklock::cli {
namespace {

/// An election of the servers, or one server that goes, is over within.
constexpr std::chrono::seconds moment{2};

}  // namespace

outage_watch::news outage_watch::look(bool in_reach, instant now) {
  if (in_reach) {
    since_.reset();
    return std::exchange(said_, false) ? news::over : news::none;
  }
  since_ = since_.value_or(now);
  if (said_ || now < *since_ + moment) {
    return news::none;
  }
  said_ = true;
  return news::begun;
}

std::optional<outage_watch::instant> outage_watch::next_look() const {
  return since_ && !said_ ? std::optional(*since_ + moment) : std::nullopt;
}

}  // namespace zklock::cli
