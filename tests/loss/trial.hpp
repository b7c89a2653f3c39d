#pragma once

#include <zklock/zklock.hpp>

#include <future>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>

#include "tests/loss/findings.hpp"
#include "tests/loss/next_in_line.hpp"
#include "tests/loss/observed_node.hpp"
#include "tests/loss/scene.hpp"
#include "tests/loss/way_to_lose.hpp"

namespace zklock::test {

/// The servers, or this machine, were too slow to keep a hold: no fault was struck.
class lost_before_the_fault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Plays one way to lose a lock, once: a holder, the next in line, a waiter for another lock in the holder's
/// session, and an onlooker at the holder's node. Throws std::runtime_error when it cannot be played.
class trial {
 public:
  trial(scene& where, const way_to_lose& way);
  trial(const trial&) = delete;
  trial& operator=(const trial&) = delete;
  ~trial();

  findings play();

  // ---- what a fault may turn to
  [[nodiscard]] scene& servers() { return where_; }
  [[nodiscard]] const way_to_lose& way() const { return way_; }
  [[nodiscard]] std::size_t victim() const { return victim_; }  ///< the server that something happens to
  [[nodiscard]] std::size_t holders_server() const { return holders_server_; }
  [[nodiscard]] proxy& way_of_holder() { return where_.way_to(holders_server_); }
  [[nodiscard]] session& holders_session() { return *session_; }
  [[nodiscard]] std::size_t other_follower();                       ///< of three servers, when the holder's is one
  [[nodiscard]] std::string node() const { return root_ + node_; }  ///< the whole path
  void expect(bool holds, const std::string& what);
  /// The server that the others do not use, in place of the way's victim.
  void keep_others_from(std::size_t server) { victim_ = server; }
  /// In place of the way's, for a session that is not opened yet.
  void ask_for(std::chrono::milliseconds timeout) { timeout_ = timeout; }
  /// The holder's client loses its server and finds no other one than this.
  void move_the_holder_to(std::size_t server);
  /// Time is what a fault is made of here: there is nothing else to wait for.
  static void let_pass(std::chrono::nanoseconds time);

 private:
  void make_the_lock_node();
  void open_the_holders_session();
  void idle_up_to_a_heartbeat();
  void take_the_lock();
  void line_up();
  void have_a_fellow_wait();
  void settle();
  void strike();
  void see_it_through();
  void ask_again_after_the_loss();
  void let_the_next_in();
  void come_back();
  void hear_the_fellow();
  void judge();
  void judge_the_margin();
  void note_margin();
  findings play_with_a_process();
  void leave_nothing();

  [[nodiscard]] bool proven_anew() const;
  void heal();
  [[nodiscard]] std::chrono::nanoseconds up_to(std::chrono::nanoseconds most);
  [[nodiscard]] std::string others() const { return where_.all_but(victim_); }

  scene& where_;
  const way_to_lose& way_;
  std::chrono::milliseconds timeout_;
  const std::string root_;
  std::mt19937_64 random_;
  std::size_t holders_server_ = 0;
  std::size_t victim_ = 0;
  bool healed_ = false;
  findings found_;

  std::unique_ptr<session> session_;
  std::optional<recursive_mutex> lock_;
  std::optional<recursive_mutex> elsewhere_;
  std::optional<recursive_mutex> fellows_;
  grant mine_;  ///< this thread's count; another one is observed
  std::string node_;
  fencing_token token_;
  instant valid_at_the_fault_{};
  std::unique_ptr<observed_hold> observed_;
  std::unique_ptr<observed_node> onlooker_;
  std::unique_ptr<next_in_line> next_;
  std::unique_ptr<next_in_line> stranger_;  ///< holds what the fellow waits for
  std::string fellows_node_;
  std::future<std::string> fellow_;
  std::future<std::string> elsewhere_answer_;
};

}  // namespace zklock::test
