#include "src/api/queue_watch.hpp"

#include <utility>

#include <zklock/error.hpp>

#include "src/api/acquirable_state.hpp"
#include "src/api/participants_list.hpp"
#include "src/errors/error_of.hpp"
#include "src/port/path.hpp"

namespace zklock::detail {
namespace {

constexpr const char* queue_observer_name = "an observer of a queue";

/// Tells another operation how many it is to read.
class change_of_size final : public engine::operation {
 public:
  change_of_size(std::shared_ptr<operations::follow_queue> of, std::size_t shown) : of_(std::move(of)), shown_(shown) {}
  void begin(engine::out& wants) override {
    wants.call(of_->number(), [of = of_, shown = shown_](engine::out& its) { of->show(shown, its); });
    wants.finish();
  }
  void stop(const failure&, engine::out& wants) override { wants.finish(); }

 private:
  const std::shared_ptr<operations::follow_queue> of_;
  const std::size_t shown_;
};

std::shared_ptr<session_impl> usable(const session& in, std::string_view path) {
  require_valid_path(path, "watch the queue of");
  std::shared_ptr<session_impl> here = session_access::impl(in);
  if (here->forked()) {
    throw error(errc::forked, "watch the queue of", path);
  }
  return here;
}

std::shared_ptr<operations::follow_queue> operation_for(
    session_impl& in, std::string_view path, std::size_t shown,
    const std::shared_ptr<view_observation<queue_head>>& observed_by) {
  const auto slot = std::make_shared<queue_slot>(std::string(path));
  in.notify(slot->observe(observed_by), queue_observer_name);  // it is new: no call is on its way
  return std::make_shared<operations::follow_queue>(std::string(path), shown, slot);
}

}  // namespace

void queue_slot::seen(const operations::queue_report& what, engine::out& wants) {
  queue_head next;
  next.current = what.current;
  if (what.why != recipes::code::ok) {
    next.error = error_of(what.why);
  }
  next.complete = what.complete;
  next.first = participants_of(std::vector<recipes::seen_contender>(what.first), path_);
  next.holders = what.holders;
  next.waiters = what.waiters;
  if (what.limit) {
    next.limit = what.limit->limit;
  }
  next.grants = what.grants;
  show(std::move(next), queue_observer_name, wants);
}

void queue_slot::over(std::error_code why, engine::out& wants) {
  queue_head last = view();
  last.current = false;
  last.error = why;
  show(std::move(last), queue_observer_name, wants);
  end(why, wants);
}

queue_watch::queue_watch(session& in, std::string_view path, std::size_t shown,
                         std::function<void(const queue_head&)> told)
    : session_(usable(in, path)),
      observation_(std::make_shared<view_observation<queue_head>>(std::move(told), session_->options().close_time_limit,
                                                                  session_->servers())),
      follows_(operation_for(*session_, path, shown, observation_)) {
  session_->begin(follows_);
}

queue_watch::~queue_watch() {
  if (!session_->forked()) {
    end_observation(*observation_, queue_observer_name);
    session_->abandon(follows_);
  }
}

void queue_watch::show(std::size_t shown) { session_->begin(std::make_shared<change_of_size>(follows_, shown)); }

}  // namespace zklock::detail
