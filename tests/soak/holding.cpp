#include "tests/soak/holding.hpp"

#include <thread>
#include <utility>

namespace zklock::soak {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

milliseconds some_time_to_hold(lot& draws) {
  const auto kind = draws.below(1'000);
  if (kind < 10) return draws.between(3s, 7s);  // longer than a session's timeout
  if (kind < 50) return draws.between(500ms, 3s);
  if (kind < 250) return draws.between(5ms, 80ms);
  return draws.between(0ms, 5ms);
}

}  // namespace

holding::holding(acquired got, recursive_mutex& lock, const std::filesystem::path& store, lot& draws, const desk& on)
    : got_(std::move(got)), lock_(lock), store_(store), draws_(draws), on_(on), careless_(draws.once_in(2)) {}

void holding::go(std::int64_t& base) {
  if (on_.does == planted::stale_base) base_ = base;
  if (got_.taken) {
    work();
  } else {
    note_loss();  // lost between lock() and the re-entry
  }
  flush();
  if (base_) base = *base_;
  release();
}

void holding::work() {
  if (ask()) {
    read_and_write();
    stay(on_.does == planted::deaf_to_removal ? 2s : some_time_to_hold(draws_));  // a removed contender then holds
    if (!lost_ && draws_.once_in(2)) read_and_write();
  }
  if (lost_ && careless_ && base_) go_on_all_the_same();
}

/// The span that the judge sees is less than what is true: it begins after the first answer, and ends before the last
/// question that was answered with yes.
bool holding::ask() {
  const instant before = boot_clock::now();
  if (!got_.taken.held()) {
    if (!lost_) note_loss();
    return false;
  }
  if (lost_) note_wrong("held again after it was lost");
  last_yes_ = before;
  if (!std::exchange(began_, true)) {
    const instant after = boot_clock::now();
    on_.log.write(held_first{got_.attempt, got_.taken.token().czxid, got_.taken.node(), before, after});
    flushed_ = last_yes_ = after;
  }
  constexpr auto seldom = 50ms;
  if (last_yes_ - flushed_ > seldom) flush();
  return true;
}

void holding::flush() {
  if (!began_ || last_yes_ <= flushed_) return;
  on_.log.write(held_still{got_.attempt, last_yes_});
  flushed_ = last_yes_;
}

void holding::stay(milliseconds time) {
  const instant until = boot_clock::now() + time;
  while (ask() && boot_clock::now() < until) {
    std::this_thread::sleep_for(draws_.between(1ms, 5ms));
    if (draws_.once_in(100)) read_and_write();
  }
}

void holding::note_loss() {
  lost_ = true;
  flush();
  if (!got_.taken) {
    on_.log.write(loss_seen{got_.attempt, "before-re-entry", boot_clock::now()});
    return;
  }
  std::string reason(to_string(got_.taken.loss_reason()));
  for (char& letter : reason) letter = letter == ' ' ? '-' : letter;
  on_.log.write(loss_seen{got_.attempt, reason, boot_clock::now()});
  if (got_.taken.loss_reason() == loss_reason::none) note_wrong("lost without a reason");
  if (!got_.taken.lost().stop_requested()) note_wrong("lost without a notice");
  std::error_code ec;
  if (got_.by_lock && (lock_.as(owner::this_thread()).acquire(ec) || ec != errc::lost))
    note_wrong("re-entry into a lost hold: " + ec.message());
}

void holding::read_and_write() {
  if (on_.does != planted::stale_base || !base_) read();
  if (!base_) return;
  std::this_thread::sleep_for(draws_.between(0ms, 3ms));  // computes
  if (careless_ || ask()) write();
}

void holding::read() {
  const auto now = store_.read(got_.taken.token().czxid);
  base_ = now ? std::optional(now->value) : std::nullopt;
  if (!now) on_.log.write(read_refused{got_.attempt});
}

void holding::write() {
  const std::int64_t token = got_.taken.token().czxid;
  on_.log.write(write_begun{got_.attempt, token, *base_});
  const bool accepted = store_.write(*base_ + 1, token);
  on_.log.write(write_ended{got_.attempt, accepted});
  if (accepted) {
    ++*base_;
  } else {
    base_.reset();
  }
}

/// A holder that was overtaken while it was at work, and does not know.
void holding::go_on_all_the_same() {
  std::this_thread::sleep_for(draws_.between(0ms, 3s));
  write();
}

void holding::release() {
  std::string outcome = "dropped";
  if (got_.by_lock) {
    if (draws_.once_in(2)) got_.taken = {};
    lock_.unlock();
    got_.taken = {};
    outcome = "unlocked";
  } else if (draws_.once_in(2)) {
    std::error_code ec;
    got_.taken.release(ec);
    outcome = !ec                               ? "confirmed"
              : ec == errc::lost                ? "lost"
              : ec == errc::release_unconfirmed ? "unconfirmed"
                                                : "failed";
    if (outcome == "failed") note_wrong("release: " + ec.message());
  } else if (draws_.once_in(4)) {
    std::jthread([taken = std::move(got_.taken)] {}).join();  // a grant may go on any thread
  } else {
    got_.taken = {};
  }
  if (on_.does == planted::claims_after_release && began_) {
    std::this_thread::sleep_for(500ms);
    on_.log.write(held_still{got_.attempt, boot_clock::now()});
  }
  if (on_.does == planted::deaf_to_removal && lost_ && began_) {
    std::this_thread::sleep_for(7s);  // longer than any session's timeout
    on_.log.write(held_still{got_.attempt, boot_clock::now()});
  }
  on_.log.write(released{got_.attempt, outcome, boot_clock::now()});
}

void holding::note_wrong(const std::string& what) const { on_.log.write(wrong{got_.attempt, what}); }

}  // namespace zklock::soak
