// How each kind of fault begins and ends.
#include <algorithm>
#include <utility>

#include "tests/soak/stage.hpp"

namespace zklock::soak {

using namespace std::chrono_literals;
using test_support::proxy;
using test_support::proxy_mode;

bool stage::begin(const planned_fault& fault) {
  switch (fault.kind) {
    case fault_kind::server_frozen_briefly:
    case fault_kind::server_frozen_long:
    case fault_kind::server_killed:
    case fault_kind::leader_killed:
    case fault_kind::quorum_killed: return begin_on_server(fault);
    case fault_kind::follower_cut_off:
    case fault_kind::leader_cut_off: return begin_on_links(fault);
    case fault_kind::session_expired:
    case fault_kind::node_removed: return begin_by_operator(fault);
    case fault_kind::worker_stopped:
    case fault_kind::worker_killed: return begin_on_process(fault);
    default: return begin_on_way(fault);
  }
}

void stage::begun(const planned_fault& fault, const std::string& on_what, std::function<void()> end) {
  ++done_[fault.kind];
  const std::string of = std::string(to_string(fault.kind)) + " " + on_what;
  note("begin " + of + " for " + std::to_string(fault.lasts.count()) + " ms");
  endings_.push_back({boot_clock::now() + fault.lasts, of, std::move(end)});
}

bool stage::begin_on_server(const planned_fault& fault) {
  std::vector<std::size_t> victims;
  if (fault.kind == fault_kind::quorum_killed) {
    if (std::any_of(server_busy_.begin(), server_busy_.end(), [](bool busy) { return busy; })) return false;
    victims = {fault.choice % servers, (fault.choice + 1) % servers};
  } else if (const auto one = fault.kind == fault_kind::leader_killed ? leader() : free_server(fault.choice)) {
    victims = {*one};
  } else {
    return false;
  }
  const bool frozen = fault.kind == fault_kind::server_frozen_briefly || fault.kind == fault_kind::server_frozen_long;
  std::string on_what;
  for (const std::size_t server : victims) {
    server_busy_[server] = true;
    frozen ? zookeeper_.stop(server) : zookeeper_.kill(server);
    on_what += "server " + std::to_string(server + 1) + " ";
  }
  begun(fault, on_what, [this, victims, frozen] {
    for (const std::size_t server : victims) {
      frozen ? zookeeper_.cont(server) : zookeeper_.restart(server, false);
      server_busy_[server] = false;
    }
  });
  return true;
}

bool stage::begin_on_links(const planned_fault& fault) {
  const auto from = leader();
  if (!from) return false;
  std::vector<std::size_t> followers{(*from + 1) % servers, (*from + 2) % servers};
  if (fault.kind == fault_kind::follower_cut_off)
    followers.erase(followers.begin() + static_cast<long>(fault.choice % 2));
  if (std::any_of(followers.begin(), followers.end(), [this](std::size_t server) { return server_busy_[server]; })) {
    return false;
  }
  const bool reset = fault.choice / 2 % 2 == 0;  // else the two notice only when syncLimit is over
  const auto set = [this, from, followers](proxy_mode mode) {
    for (const std::size_t follower : followers) zookeeper_.quorum_link(follower, *from).set_mode(mode);
  };
  for (const std::size_t follower : followers) server_busy_[follower] = true;
  set(reset ? proxy_mode::cut : proxy_mode::hold);
  begun(fault, "of leader " + std::to_string(*from + 1) + (reset ? " (reset)" : " (silent)"), [this, set, followers] {
    set(proxy_mode::cut);  // what was held is lost, not late: it is a new connection's turn
    set(proxy_mode::pass);
    for (const std::size_t follower : followers) server_busy_[follower] = false;
  });
  return true;
}

bool stage::begin_on_way(const planned_fault& fault) {
  worker& one = workers_[fault.choice % workers];
  if (one.way_busy) return false;
  std::vector<proxy*> ways;
  const bool all = fault.choice / workers % 4 != 0;
  for (std::size_t server = 0; server < servers; ++server) {
    if (all || server == fault.choice % servers) ways.push_back(one.ways[server].get());
  }
  for (proxy* way : ways) {
    switch (fault.kind) {
      case fault_kind::way_cut: way->set_mode(proxy_mode::cut); break;
      case fault_kind::way_held: way->set_mode(proxy_mode::hold); break;
      case fault_kind::requests_held: way->set_mode(proxy_mode::hold_requests); break;
      case fault_kind::replies_held: way->set_mode(proxy_mode::hold_replies); break;
      case fault_kind::way_delayed: way->set_delay(20ms + std::chrono::milliseconds(fault.choice % 400)); break;
      default: way->set_mode(proxy_mode::refuse); break;
    }
  }
  if (fault.kind == fault_kind::way_refused) one.ways[fault.choice % servers]->cut_now();
  one.way_busy = true;
  begun(fault, "of " + one.name(fault.choice % workers) + (all ? "" : " to one server"), [&one, ways] {
    for (proxy* way : ways) {
      way->set_delay(0ms);
      way->set_mode(proxy_mode::pass);
    }
    one.way_busy = false;
  });
  return true;
}

bool stage::begin_on_process(const planned_fault& fault) {
  const std::size_t number = fault.choice % workers;
  worker& one = workers_[number];
  if (one.process_busy) return false;
  one.process_busy = true;
  const std::string name = one.name(number);
  if (fault.kind == fault_kind::worker_stopped) {
    one.process->stop();
    begun(fault, name, [&one] {
      one.process->cont();
      one.process_busy = false;
    });
    return true;
  }
  one.process->kill();
  killed_.push_back(name);
  begun(fault, name, [this, &one, number] {
    spawn(number);
    one.process_busy = false;
  });
  return true;
}

bool stage::begin_by_operator(const planned_fault& fault) {
  const std::size_t number = fault.choice % workers;
  const auto report = [this, fault, number](bool done) {
    const std::scoped_lock lock(orders_mutex_);
    orders_.push_back({fault, number, done});
  };
  if (fault.kind == fault_kind::node_removed) {
    ++orders_given_;
    operator_.remove_a_contender(fault.choice, report);
    return true;
  }
  worker& one = workers_[number];
  if (one.way_busy) return false;
  one.way_busy = true;
  ++orders_given_;
  operator_.expire_session_behind({one.ways[0].get(), one.ways[1].get(), one.ways[2].get()}, report);
  return true;
}

void stage::settle_orders() {
  std::vector<ordered> settled;
  {
    const std::scoped_lock lock(orders_mutex_);
    settled = std::exchange(orders_, {});
  }
  orders_settled_ += settled.size();
  for (const ordered& one : settled) {
    if (one.fault.kind == fault_kind::session_expired) workers_[one.worker].way_busy = false;
    if (!one.done) {
      undone_.push_back(one.fault);
      continue;
    }
    ++done_[one.fault.kind];
    note("done  " + std::string(to_string(one.fault.kind)));
  }
}

}  // namespace zklock::soak
