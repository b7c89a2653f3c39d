#include "recipes/followed_node.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace zklock::recipes {
namespace {

using command = followed_node::command;
using value = followed_node::value;

node_stat stat_of(std::int64_t mzxid, std::int32_t version = 0) { return {version, 1, mzxid}; }

followed_node watching(std::int64_t mzxid = 10) {
  followed_node one;
  EXPECT_EQ(one.connected(true), command::get);
  EXPECT_EQ(one.got(code::ok, stat_of(mzxid), "a"), command::none);
  return one;
}
followed_node absent() {
  followed_node one;
  EXPECT_EQ(one.connected(true), command::get);
  EXPECT_EQ(one.got(code::no_node, {}, ""), command::exists);
  EXPECT_EQ(one.looked(code::no_node), command::none);
  return one;
}

TEST(followed_node, reads_nothing_before_its_session_is_proven) {
  followed_node one;
  EXPECT_EQ(one.connected(false), command::prove);
  EXPECT_EQ(one.now(), followed_node::state::resting);
  EXPECT_EQ(one.proven(), command::get);
  EXPECT_EQ(one.known(), value::unknown);
  EXPECT_FALSE(one.is_current());
  one.got(code::ok, stat_of(10, 3), "a");
  EXPECT_EQ(one.known(), value::present);
  EXPECT_EQ(one.data(), "a");
  EXPECT_EQ(one.stat(), stat_of(10, 3));
  EXPECT_TRUE(one.is_current());
}

TEST(followed_node, asks_once_for_each_event_of_its_watch) {
  followed_node one = watching();
  EXPECT_EQ(one.fired(false), command::get);
  EXPECT_EQ(one.fired(false), command::none) << "of the watch before";
  EXPECT_TRUE(one.is_current()) << "until the connection goes";
  one.got(code::ok, stat_of(11), "b");
  EXPECT_EQ(one.data(), "b");
}

TEST(followed_node, tells_an_absent_node_and_waits_for_it_without_a_request) {
  followed_node one = absent();
  EXPECT_EQ(one.known(), value::absent);
  EXPECT_TRUE(one.is_current());
  EXPECT_EQ(one.fired(false), command::get);
  one.got(code::ok, stat_of(12), "c");
  EXPECT_EQ(one.fired(true), command::exists) << "deleted";
  EXPECT_EQ(one.looked(code::ok), command::get) << "made again meanwhile";
}

TEST(followed_node, does_not_tell_a_refused_node_as_absent_and_asks_again) {
  followed_node one = watching();
  one.fired(false);
  EXPECT_EQ(one.got(code::no_auth, {}, ""), command::none);
  EXPECT_EQ(one.known(), value::refused);
  EXPECT_EQ(one.why_refused(), code::no_auth);
  EXPECT_EQ(one.waits(), followed_node::pause::refused);
  EXPECT_EQ(one.timer(), command::get);
  one.got(code::ok, stat_of(10), "a");
  EXPECT_EQ(one.known(), value::present);
  EXPECT_EQ(one.waits(), followed_node::pause::none);
}

TEST(followed_node, is_current_behind_a_reconnect_with_the_first_answer_and_no_request_of_its_own) {
  for (followed_node one : {watching(), absent()}) {
    one.disconnected();
    EXPECT_FALSE(one.is_current());
    EXPECT_EQ(one.connected(true), command::prove);
    EXPECT_FALSE(one.is_current()) << "what was missed is told behind this";
    EXPECT_EQ(one.proven(), command::none);
    EXPECT_TRUE(one.is_current());
  }
}

TEST(followed_node, is_not_current_by_the_first_answer_when_it_has_missed_an_event) {
  followed_node one = watching();
  one.disconnected();
  one.connected(true);
  EXPECT_EQ(one.fired(false), command::get);
  one.proven();
  EXPECT_FALSE(one.is_current());
  one.got(code::ok, stat_of(11), "b");
  EXPECT_TRUE(one.is_current());
}

TEST(followed_node, asks_again_what_was_lost_with_the_connection) {
  followed_node one = watching();
  one.fired(false);
  one.disconnected();
  one.got(code::connection_loss, {}, "");
  EXPECT_EQ(one.data(), "a") << "what is known stays";
  EXPECT_EQ(one.connected(true), command::get);
}

TEST(followed_node, waits_for_a_failure_that_comes_late_and_asks_again_after_a_pause) {
  followed_node one = watching();
  one.fired(false);
  one.disconnected();
  EXPECT_EQ(one.connected(true), command::none);
  one.got(code::connection_loss, {}, "");
  EXPECT_EQ(one.waits(), followed_node::pause::retry);
  EXPECT_EQ(one.timer(), command::get);
  one.got(code::throttled, {}, "");
  EXPECT_EQ(one.waits(), followed_node::pause::retry);
}

TEST(followed_node, polls_where_there_is_no_room_for_a_watch) {
  followed_node one;
  one.connected(true);
  one.unwatched();
  one.got(code::ok, stat_of(10), "a");
  EXPECT_EQ(one.waits(), followed_node::pause::poll);
  EXPECT_EQ(one.timer(), command::get);
  one.got(code::ok, stat_of(10), "a");
  EXPECT_EQ(one.waits(), followed_node::pause::none) << "there is room again";
}

TEST(followed_node, orders_by_the_zxid_of_the_change_since_a_version_starts_again_with_the_node) {
  followed_node one = watching(10);
  one.fired(false);
  one.got(code::ok, stat_of(11, 5), "b");
  one.fired(false);
  one.got(code::ok, stat_of(20, 0), "c");
  EXPECT_EQ(one.data(), "c");
  one.fired(false);
  one.got(code::ok, stat_of(19, 7), "old");
  EXPECT_EQ(one.data(), "c");
  EXPECT_EQ(one.waits(), followed_node::pause::retry);
}

TEST(followed_node, goes_on_with_servers_that_have_lost_their_data) {
  followed_node one = watching(1000);
  one.session_over();
  EXPECT_EQ(one.known(), value::present) << "what was known stays, and is not current";
  EXPECT_FALSE(one.is_current());
  EXPECT_EQ(one.connected(false), command::prove);
  EXPECT_EQ(one.proven(), command::get);
  one.got(code::ok, stat_of(3), "new");
  EXPECT_EQ(one.data(), "new");
  EXPECT_TRUE(one.is_current());
  one.session_over();
  one.connected(true);
  one.got(code::ok, stat_of(3), "newer");
  EXPECT_EQ(one.data(), "newer") << "the same number in another history";
}

TEST(followed_node, shows_what_its_own_client_has_written_before_its_watch_tells_of_it) {
  followed_node one = watching(10);
  one.wrote(stat_of(11, 1), "mine");
  EXPECT_EQ(one.data(), "mine");
  one.wrote(stat_of(9), "late");
  EXPECT_EQ(one.data(), "mine");
  EXPECT_EQ(one.fired(false), command::get);
  one.got(code::ok, stat_of(11, 1), "mine");
  EXPECT_EQ(one.stat().mzxid, 11);
}

// ---- walks by lot, on servers that lag behind their leader

struct change {
  bool there;
  node_stat stat;
};

/// Three servers, each with a part of the history; a client at one of them; answers and events that come in their order, or are
/// lost with the connection.
class walk {
 public:
  /// `proves`: a session's reads wait for its first answered quorum write.
  walk(unsigned seed, bool local_sessions, bool proves)
      : lot_(seed), local_sessions_(local_sessions), proves_(proves) {}

  /// What was violated first. Empty: nothing.
  std::string run(int steps) {
    for (int step = 0; step < steps && fault_.empty(); ++step) {
      move(pick(12));
    }
    while (fault_.empty() && !at_rest()) {
      for (std::size_t server = 0; server < applied_.size(); ++server) {
        while (applied_[server] < history_.size()) {
          apply(server);
        }
      }
      if (!connected_) {
        connect(0);
      }
      while (connected_ && !pending_.empty()) {
        deliver();
      }
      if (one_.waits() != followed_node::pause::none) {
        send(one_.timer());
      }
    }
    if (fault_.empty() && !shows(history_.size())) {
      fault_ = "at rest it does not show the last value";
    }
    return fault_;
  }

 private:
  struct message {
    enum { got, looked, fired, proof, failed_get, failed_look } what;
    change seen{};
    std::size_t zxid = 0;  ///< of the server, when it sent this
  };

  std::size_t pick(std::size_t of) { return std::uniform_int_distribution<std::size_t>(0, of - 1)(lot_); }
  [[nodiscard]] change at(std::size_t zxid) const { return zxid == 0 ? change{} : history_[zxid - 1]; }
  [[nodiscard]] bool shows(std::size_t zxid) const {
    const change now = at(zxid);
    return now.there ? one_.known() == value::present && one_.stat() == now.stat : one_.known() == value::absent;
  }
  [[nodiscard]] bool at_rest() const {
    return connected_ && pending_.empty() && one_.is_current() && one_.waits() == followed_node::pause::none &&
           applied_[server_] == history_.size();
  }

  void move(std::size_t lot) {
    switch (lot) {
      case 0:
      case 1: write(); break;
      case 2:
      case 3: apply(pick(3)); break;
      case 4:
        if (!connected_) connect(pick(3));
        break;
      case 5:
        if (pick(4) == 0) disconnect();
        break;
      case 6:
        if (pick(8) == 0) end_session();
        break;
      case 7:
        if (one_.waits() != followed_node::pause::none) send(one_.timer());
        break;
      default:
        if (connected_ && !pending_.empty()) deliver();
        break;
    }
  }

  void write() {
    const change before = at(history_.size());
    const auto zxid = static_cast<std::int64_t>(history_.size() + 1);
    if (!before.there) {
      history_.push_back({true, {0, zxid, zxid}});
    } else if (pick(3) == 0) {
      history_.push_back({false, {}});
    } else {
      history_.push_back({true, {before.stat.version + 1, before.stat.czxid, zxid}});
    }
  }
  void apply(std::size_t server) {
    if (applied_[server] == history_.size()) return;
    const std::size_t zxid = ++applied_[server];
    if (connected_ && server == server_ && watch_) {
      fire(zxid);
    }
  }
  /// The watch of the current connection, at a server that has come so far.
  void fire(std::size_t zxid) {
    watch_ = false;
    pending_.push_back({message::fired, at(zxid), zxid});
  }

  void connect(std::size_t server) {
    const bool new_session = !session_;
    if (new_session && !local_sessions_) {
      applied_[server] = history_.size();  // the session is a transaction of the quorum's
    }
    if (applied_[server] < last_zxid_) {
      return;  // it refuses a client that has seen more
    }
    server_ = server;
    connected_ = true;
    if (new_session) {
      proven_ = !proves_;
      session_ = true;
    }
    if (client_watch_) {  // set again
      watch_ = true;
      if (watched_at_ != applied_[server]) {
        const change then = at(watched_at_), now = at(applied_[server]);
        if (then.there != now.there || then.stat != now.stat) {
          fire(applied_[server]);
        }
      }
    }
    send(one_.connected(proven_));
  }
  void disconnect() {
    if (!connected_) return;
    connected_ = watch_ = false;
    const bool late = pick(4) == 0;
    if (!late) one_.disconnected();
    std::vector<message> lost(pending_.begin(), pending_.end());
    pending_.clear();
    if (late) one_.disconnected();
    for (const message& one : lost) {
      if (one.what == message::got || one.what == message::failed_get) {
        one_.got(code::connection_loss, {}, "");
      } else if (one.what == message::looked || one.what == message::failed_look) {
        one_.looked(code::connection_loss);
      }
    }
  }
  void end_session() {
    connected_ = watch_ = client_watch_ = session_ = proven_ = false;
    last_zxid_ = 0;  // of another handle
    pending_.clear();
    one_.session_over();
  }

  /// A server answers at once; the answer is under way.
  void send(command what) {
    const std::size_t zxid = applied_[server_];
    const change now = at(zxid);
    switch (what) {
      case command::none: break;
      case command::get:
        client_watch_ = watch_ = now.there;
        watched_at_ = zxid;
        pending_.push_back({message::got, now, zxid});
        break;
      case command::exists:
        client_watch_ = watch_ = true;
        watched_at_ = zxid;
        pending_.push_back({message::looked, now, zxid});
        break;
      case command::prove: pending_.push_back({message::proof}); break;
    }
  }
  void deliver() {
    message next = pending_.front();
    pending_.pop_front();
    if (next.what == message::proof) {  // a write of the quorum's: this server has all that was before
      while (applied_[server_] < history_.size()) {
        apply(server_);
      }
      while (!pending_.empty()) {  // events of it come before its answer
        const message before = pending_.front();
        pending_.pop_front();
        take(before);
      }
      proven_ = true;
      last_zxid_ = applied_[server_];
      check([this] { send(one_.proven()); });
      return;
    }
    take(next);
  }
  void take(const message& next) {
    last_zxid_ = std::max(last_zxid_, next.zxid);
    switch (next.what) {
      case message::got:
        check([&] { send(one_.got(next.seen.there ? code::ok : code::no_node, next.seen.stat, "")); });
        break;
      case message::looked: check([&] { send(one_.looked(next.seen.there ? code::ok : code::no_node)); }); break;
      case message::fired:
        client_watch_ = watch_;
        check([&] { send(one_.fired(!next.seen.there)); });
        break;
      default: break;
    }
  }

  /// No report is older than the one before.
  template <class Step>
  void check(Step step) {
    const value before = one_.known();
    const node_stat stat = one_.stat();
    step();
    if (one_.known() == value::present && one_.stat().mzxid < stat.mzxid) {
      fault_ = "an older value behind a later one";
    }
    const bool reports_absence = one_.known() == value::absent && before != value::absent;
    const auto deleted_since = [&] {
      return std::any_of(history_.begin() + static_cast<std::ptrdiff_t>(stat.mzxid), history_.end(),
                         [](const change& one) { return !one.there; });
    };
    if (reports_absence && stat.mzxid > 0 && !deleted_since()) {
      fault_ = "an older absence behind a value";
    }
  }

  std::mt19937 lot_;
  const bool local_sessions_;
  const bool proves_;
  followed_node one_;
  std::vector<change> history_;
  std::array<std::size_t, 3> applied_{};
  std::size_t server_ = 0;
  bool connected_ = false, session_ = false, proven_ = false;
  bool watch_ = false;         ///< at the server
  bool client_watch_ = false;  ///< the client sets it again on the next connection
  std::size_t watched_at_ = 0;
  std::size_t last_zxid_ = 0;
  std::deque<message> pending_;
  std::string fault_;
};

/// The first seed with a violation.
std::optional<unsigned> first_fault(bool local_sessions, bool proves, unsigned seeds, std::string& what) {
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    what = walk(seed, local_sessions, proves).run(120);
    if (!what.empty()) {
      return seed;
    }
  }
  return std::nullopt;
}

TEST(followed_node_by_lot, never_shows_an_older_value_and_shows_the_last_one_at_rest) {
  for (const bool local_sessions : {false, true}) {
    std::string what;
    EXPECT_EQ(first_fault(local_sessions, true, 5000, what), std::nullopt) << what << (local_sessions ? ", local" : "");
  }
}

TEST(followed_node_by_lot, would_show_older_values_of_local_sessions_without_a_quorum_write) {
  std::string what;
  EXPECT_TRUE(first_fault(true, false, 5000, what));
  EXPECT_FALSE(what.empty());
}

}  // namespace
}  // namespace zklock::recipes
