// The trial in which the holder is a process, and stopped as a whole.
#include "tests/loss/await.hpp"
#include "tests/loss/stopped_holder.hpp"
#include "tests/loss/trial.hpp"

namespace zklock::test {

findings trial::play_with_a_process() {
  make_the_lock_node();
  stopped_holder holder(where_.through_proxies() + root_, way_.timeout, "/lock");
  node_ = holder.node();
  found_.margin = holder.margin();
  line_up();
  let_pass(way_.timeout / 4 + up_to(way_.timeout / 6));
  found_.fault = boot_clock::now();
  holder.stop();
  const instant stopped = boot_clock::now();
  await([&] { return next_->granted().has_value(); }, "the next one's grant");
  found_.granted = *next_->granted();
  expect(next_->token() > holder.token(), "the next one's token is no greater");
  await([&] { return onlooker_->deleted().has_value(); }, "the server's word that the node is gone");
  found_.deleted = onlooker_->deleted();
  found_.continued = boot_clock::now();
  holder.cont();
  found_.holder = holder.after_the_loss();
  expect(found_.holder.last_yes < stopped, "the first question after it went on was answered with yes");
  expect(found_.holder.first_no > found_.continued, "it did not stand still");
  judge();
  next_->release();
  leave_nothing();
  return std::move(found_);
}

}  // namespace zklock::test
