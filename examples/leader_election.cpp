// Leader election: candidates lead one after the other, a client that does not stand knows who leads, and a leader says what
// others need to know of it.
//
//     leader_election SERVERS   e.g. 127.0.0.1:2181/example
#include <chrono>
#include <functional>
#include <future>
#include <iostream>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>

#include <zklock/zklock.hpp>

using namespace std::chrono_literals;

constexpr const char* path = "/elections/tea-room";

//! [observer]
// Where requests for the leader go: from memory, at any time.
std::string redirect(const zklock::election_observer& leader) {
  const zklock::leader_view now = leader.current();
  if (!now) return "503 nobody leads";
  return "307 http://" + now.data + (now.current ? "" : " (perhaps no more)");
}

// Told of each change, of the view at hand first; on the session's notification thread, until the observer goes.
zklock::election_observer announce(zklock::session& session) {
  return zklock::election_observer(session, path, [](const zklock::leader_view& now) {
    std::clog << (now ? "leads: " + now.data + '\n' : std::string("nobody leads\n"));
  });
}
//! [observer]

//! [campaign]
// For a program that has a loop of its own: waits for its turn, leads while `work` goes on, and resigns.
bool lead_once(zklock::election& election, const std::function<bool(const zklock::term&)>& work) {
  zklock::term term = election.campaign(10s);
  if (!term) return false;  // not in time
  while (term.held() && work(term)) {}
  std::error_code ec;
  term.resign(ec);  // errc::lost: the term was over before
  return !ec;
}
//! [campaign]

//! [proclaim]
// What the leader says of itself may change: observers are told.
void move_to(const zklock::term& term, const std::string& address) {
  term.proclaim(address);  // waits until a server has it; errc::lost if the term is over
}
//! [proclaim]

//! [exit]
// For a program whose every thread works for the lead: it ends with the term, at term.valid_until() at the latest, whatever its
// threads are about. A service manager starts it again.
void end_with(const zklock::term& term) { zklock::exit_on_loss(term, 75); }
//! [exit]

bool eventually(const std::function<bool()>& holds) {
  for (const auto until = std::chrono::steady_clock::now() + 1min; !holds(); std::this_thread::sleep_for(5ms)) {
    if (std::chrono::steady_clock::now() > until) return false;
  }
  return true;
}

bool elect(const char* servers) {
  zklock::session here(servers, {.timeout = 10s}), there(servers, {.timeout = 10s});  // two processes, as it were
  zklock::election ann(here, path, {.data = "ann:80"}), bob(there, path, {.data = "bob:80"});
  const zklock::election_observer leader(there, path), told = announce(there);
  const auto shows = [&leader](const std::string& answer) {
    const bool good = eventually([&] { return redirect(leader) == answer; });
    std::cout << redirect(leader) << '\n';
    return good;
  };
  bool good = shows("503 nobody leads");

  std::stop_source enough;
  std::future<void> bobs_terms;
  const bool resigned = lead_once(ann, [&](const zklock::term& term) {
    end_with(term);  // until it resigns
    good = shows("307 http://ann:80") && good;
    move_to(term, "ann:8080");
    good = shows("307 http://ann:8080") && good;
    bobs_terms = std::async(std::launch::async, [&] {
      bob.run(
          [](const zklock::term& mine, std::stop_token stop) {
            std::cout << "bob leads, token " << to_string(mine.token()) << '\n';
            while (!stop.stop_requested()) std::this_thread::sleep_for(5ms);  // stands for the work
          },
          enough.get_token());
    });
    good = eventually([&] { return bob.queue().size() == 2; }) && good;
    return false;
  });
  good = resigned && shows("307 http://bob:80") && good;
  good = eventually([&] { return bob.status().terms == 1; }) && good;  // it may know it later than others

  here.transaction().remove(bob.queue().front().node).commit();  // an operator's hand ends bob's term: he stands again
  good = eventually([&] { return bob.status().terms == 2; }) && shows("307 http://bob:80") && good;
  good = zklock::leader(here, path).token == bob.status().token && good;
  enough.request_stop();
  bobs_terms.get();
  return shows("503 nobody leads") && good;
}

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: leader_election SERVERS\n";
    return 64;
  }
  try {
    return elect(arguments[1]) ? 0 : 1;
  } catch (const zklock::error& failure) {
    std::cerr << failure.what() << '\n';
    return 69;
  }
}
