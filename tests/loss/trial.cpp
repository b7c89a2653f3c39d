#include "tests/loss/trial.hpp"

#include <algorithm>
#include <stdexcept>
#include <thread>

#include "tests/integration/inspector.hpp"
#include "tests/loss/await.hpp"

namespace zklock::test {
namespace {

using namespace std::chrono_literals;

std::string random_root() {
  std::random_device device;
  return "/loss-" + std::to_string(device()) + std::to_string(device());
}

std::string words_for(const grant& got, const std::error_code& ec) {
  return ec ? ec.message() : got ? "granted" : "not in time";
}

std::vector<std::string> queue_at(const std::string& servers, const std::string& path) {
  std::vector<std::string> names;
  insist_on([&] { names = inspector(servers).children(path); });
  return names;
}

}  // namespace

trial::trial(scene& where, const way_to_lose& way)
    : where_(where), way_(way), timeout_(way.timeout), root_(random_root()), random_(std::random_device{}()) {}

trial::~trial() {
  try {
    heal();
    where_.restore();
  } catch (const std::exception&) {
    // the next trial will say what is wrong with the servers
  }
  stranger_.reset();
  next_.reset();
  if (session_) {
    std::error_code ec;
    session_->close(ec);
  }
}

findings trial::play() {
  if (way_.whole_process) {
    return play_with_a_process();
  }
  open_the_holders_session();
  if (way_.at_the_grant) {
    idle_up_to_a_heartbeat();
    take_the_lock();
    note_margin();
    strike();
    line_up();
  } else {
    take_the_lock();
    line_up();
    have_a_fellow_wait();
    settle();
    note_margin();
    if (way_.prepare) {
      way_.prepare(*this);
      note_margin();
    }
    strike();
  }
  see_it_through();
  ask_again_after_the_loss();
  let_the_next_in();
  come_back();
  hear_the_fellow();
  judge();
  leave_nothing();
  return std::move(found_);
}

// ---- before the fault

// In advance, so that acquiring is one round trip.
void trial::make_the_lock_node() {
  insist_on([this] {
    inspector at_the_servers(others());
    if (!at_the_servers.look(root_ + "/lock")) {
      at_the_servers.create(root_ + "/lock", client::create_mode::container);
    }
  });
}

// The other servers are out of reach while it connects, so that it comes to sit where the way wants it.
void trial::open_the_holders_session() {
  if (where_.size() > 1) {
    const std::size_t leader = where_.leader();
    holders_server_ = way_.at == seat::leader ? leader : (leader + 1 + random_() % 2) % where_.size();
    victim_ = way_.victim == seat::leader ? leader : holders_server_;
    for (std::size_t server = 0; server < where_.size(); ++server) {
      where_.way_to(server).set_mode(server == holders_server_ ? proxy_mode::pass : proxy_mode::refuse);
    }
  }
  if (way_.arrange) {
    way_.arrange(*this);
  }
  make_the_lock_node();
  const session_options options{
      .timeout = timeout_, .margin = way_.margin, .tick = way_.tick_is_told ? way_.tick : 0ms};
  session_ = std::make_unique<session>(where_.through_proxies() + root_, options);
  lock_.emplace(*session_, "/lock");
  elsewhere_.emplace(*session_, "/elsewhere");
  fellows_.emplace(*session_, "/fellows");
  if (!session_->wait_connected_for(patience_of_a_trial)) {
    throw std::runtime_error("the holder finds no server");
  }
  if (!way_.no_other_server) {
    for (std::size_t server = 0; server < where_.size(); ++server) {
      where_.way_to(server).set_mode(proxy_mode::pass);
    }
  }
}

// Somewhere between two signs of life: the leader's knowledge of the session is as old as may be.
void trial::idle_up_to_a_heartbeat() {
  std::atomic<bool> came = false;
  way_of_holder().on_request([&](const test_support::request_frame& request) {
    came = came || request.opcode == test_support::opcode::ping || request.opcode == test_support::opcode::sync;
    return test_support::verdict::pass;
  });
  const bool in_time = test_support::eventually([&] { return came.load(); }, patience_of_a_trial);
  way_of_holder().on_request({});
  if (!in_time) {
    throw std::runtime_error("the idle client says nothing");
  }
  let_pass(up_to(way_.timeout / 3));
}

void trial::take_the_lock() {
  mine_ = lock_->as(owner::this_thread()).acquire();
  node_ = mine_.node();
  token_ = mine_.token();
  observed_ = std::make_unique<observed_hold>(lock_->as(owner::this_thread()).acquire());
}

void trial::line_up() {
  onlooker_ = std::make_unique<observed_node>(others(), node());
  // Not to be lost when its own server goes, however short the holder's timeout is.
  const auto timeout = std::max(way_.timeout, session_options{}.timeout);
  next_ = std::make_unique<next_in_line>(others() + root_, timeout, "/lock");
  if (!way_.at_the_grant) {
    await([&] { return queue_at(others(), root_ + "/lock").size() == 2; }, "the next in line to queue");
  }
}

void trial::have_a_fellow_wait() {
  stranger_ = std::make_unique<next_in_line>(others() + root_, 60s, "/fellows");
  await([&] { return stranger_->granted().has_value(); }, "the fellow's predecessor");
  const std::vector<std::string> before = queue_at(others(), root_ + "/fellows");
  fellow_ = std::async(std::launch::async, [this] {
    std::error_code ec;
    const grant got = fellows_->acquire(ec);
    if (!got) return ec.message();
    return std::string(got.node().ends_with(fellows_node_) ? "kept its place" : "queued again");
  });
  std::vector<std::string> after;
  await([&] { return (after = queue_at(others(), root_ + "/fellows")).size() == 2; }, "the fellow to queue");
  for (const std::string& name : after) {
    if (std::ranges::find(before, name) == before.end()) fellows_node_ = name;
  }
}

// Until heartbeats carry the deadline, and the holder watches its node; then at any moment between two of them.
void trial::settle() {
  const instant at_first = mine_.valid_until();
  await([&] { return mine_.valid_until() > at_first + way_.timeout / 4 || !mine_.held(); },
        "the deadline to be carried on");
  if (!mine_.held()) {
    throw lost_before_the_fault("the hold was lost before the fault: " + std::string(to_string(mine_.loss_reason())));
  }
  let_pass(up_to(way_.timeout / 6));
}

// ---- the fault, and what follows

void trial::strike() {
  valid_at_the_fault_ = mine_.valid_until();
  found_.fault = boot_clock::now();
  observed_->note_lead_from_now();
  way_.fault(*this);
  std::error_code ec;
  const grant again = lock_->as(owner::this_thread()).try_acquire(ec);
  found_.reentry_at_the_fault = words_for(again, ec);
  if (!way_.at_the_grant && !way_.heartbeats_only) {
    elsewhere_answer_ = std::async(std::launch::async, [this] {
      std::error_code why;
      const grant got = elsewhere_->try_acquire_for(way_.timeout / 3, why);
      return words_for(got, why);
    });
  }
}

// Answers to what was sent before the fault may still move it by less.
bool trial::proven_anew() const {
  return mine_.valid_until() > std::max(valid_at_the_fault_, found_.fault + way_.timeout / 2) + way_.timeout / 3;
}

void trial::see_it_through() {
  const auto over = [this] { return observed_->says_no() || (way_.survivable() && proven_anew()); };
  if (way_.healed == healing::in_time) {
    let_pass(way_.timeout / 4);
    heal();
  }
  await(over, "an end of it");
  found_.survived = !observed_->says_no();
  if (!found_.survived) {
    await([&] { return observed_->noticed(); }, "the notice of loss");
  }
  expect(found_.survived || !next_->granted() || way_.by_force || *next_->granted() >= found_.fault,
         "the next one waits");
}

void trial::ask_again_after_the_loss() {
  if (found_.survived) {
    return;
  }
  std::error_code ec;
  const grant again = lock_->as(owner::this_thread()).try_acquire(ec);
  found_.reentry_after_the_loss = words_for(again, ec);
  expect(ec == errc::lost, "re-entry into a lost hold says: " + found_.reentry_after_the_loss);
  expect(!mine_.held(), "a lost hold is held again");
}

void trial::let_the_next_in() {
  if (found_.survived) {
    expect(!next_->granted(), "two hold");
    expect(mine_.token() == token_, "the token has changed");
  }
  found_.holder = observed_->finish();
  std::error_code ec;
  mine_.release(ec);
  expect(found_.survived || ec == errc::lost, "giving back a lost hold says: " + ec.message());
  if (way_.healed == healing::after_the_loss) {
    heal();
  }
  await([&] { return next_->granted().has_value(); }, "the next one's grant");
  found_.granted = *next_->granted();
  expect(next_->token() > token_, "the next one's token is no greater");
  await([&] { return onlooker_->deleted().has_value(); }, "the server's word that the node is gone");
  found_.deleted = onlooker_->deleted();
  heal();
}

void trial::come_back() {
  auto again = std::async(std::launch::async, [this] {
    std::error_code ec;
    const grant got = lock_->as(owner::this_thread()).try_acquire_for(patience_of_a_trial, ec);
    if (got) {
      found_.back = boot_clock::now();
      expect(got.token() > next_->token(), "the token of a later grant is no greater");
    }
    return ec;
  });
  if (holders_session().state() != session_state::closed) {
    await([&] { return queue_at(others(), root_ + "/lock").size() == 2; }, "the loser to queue again");
  }
  next_->release();
  const std::error_code ec = again.get();
  expect(found_.back || ec == errc::session_closed, "acquiring anew says: " + ec.message());
}

void trial::hear_the_fellow() {
  if (!fellow_.valid()) {
    return;
  }
  if (elsewhere_answer_.valid()) {
    found_.elsewhere_at_the_fault = elsewhere_answer_.get();
  }
  if (holders_session().state() != session_state::closed) {
    expect(fellow_.wait_for(0s) == std::future_status::timeout, "a fellow waiter was let in beside the holder");
  }
  stranger_->release();
  found_.fellow = fellow_.get();
}

// ---- tools

std::size_t trial::other_follower() { return 3 - where_.leader() - holders_server_; }

void trial::move_the_holder_to(std::size_t server) {
  where_.way_to(server).set_mode(proxy_mode::pass);
  way_of_holder().set_mode(proxy_mode::cut);
  holders_server_ = server;
}

void trial::leave_nothing() {
  onlooker_.reset();
  insist_on([this] { inspector(others()).remove_tree(root_); });
}

void trial::heal() {
  if (!healed_ && way_.heal && found_.fault != instant{}) {
    healed_ = true;
    way_.heal(*this);
  }
}

void trial::expect(bool holds, const std::string& what) {
  if (!holds) {
    found_.violations.push_back(what);
  }
}

void trial::let_pass(std::chrono::nanoseconds time) { std::this_thread::sleep_for(time); }

std::chrono::nanoseconds trial::up_to(std::chrono::nanoseconds most) {
  return std::chrono::nanoseconds(static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(most.count() + 1)));
}

}  // namespace zklock::test
