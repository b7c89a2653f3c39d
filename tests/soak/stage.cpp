#include "tests/soak/stage.hpp"

#include <algorithm>

#include "tests/soak/watch_list.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/four_letter_word.hpp"

namespace zklock::soak {
namespace {

using namespace std::chrono_literals;
using test_support::private_zookeeper;
using test_support::proxy;

constexpr auto chroot = "/soak";

/// Beside this program.
std::string worker_program() {
  return std::filesystem::canonical("/proc/self/exe").parent_path() / "zklock_soak_worker";
}

lock_nodes nodes_on(const private_zookeeper& zookeeper) {
  lock_nodes nodes{zookeeper.connect_string(), {}, chroot, {"/locks/a", "/locks/b", "/locks/c"}};
  for (std::size_t server = 0; server < zookeeper.size(); ++server) nodes.ports.push_back(zookeeper.port(server));
  return nodes;
}

}  // namespace

stage::stage(stage_options options)
    : options_(std::move(options)),
      zookeeper_({.servers = servers, .tick_time = tick, .reaper_interval = 2s, .quorum_links = true}),
      nodes_(nodes_on(zookeeper_)),
      notes_(options_.directory / "faults"),
      operator_(nodes_) {
  for (std::size_t number = 0; number < workers; ++number) {
    for (std::size_t server = 0; server < servers; ++server) {
      workers_[number].ways[server] = std::make_unique<proxy>(zookeeper_.port(server));
    }
    spawn(number);
  }
}

void stage::spawn(std::size_t number) {
  worker& one = workers_[number];
  ++one.incarnation;
  std::string addresses;
  for (const auto& way : one.ways) addresses += (addresses.empty() ? "" : ",") + way->address();
  const auto seed = (options_.seed * 1'000 + number) * 10'000 + static_cast<std::uint64_t>(one.incarnation);
  std::vector<std::string> words{
      "--name", one.name(number),     "--servers", addresses + chroot, "--directory", options_.directory.string(),
      "--seed", std::to_string(seed), "--planted", options_.planted};
  for (const std::string& lock : nodes_.locks) words.insert(words.end(), {"--lock", lock});
  one.process = std::make_unique<worker_process>(worker_program(), words);
  if (told_to_work_) one.process->say("work");
}

void stage::end_what_is_due() {
  settle_orders();
  const instant now = boot_clock::now();
  std::vector<ending> due;
  std::copy_if(endings_.begin(), endings_.end(), std::back_inserter(due),
               [&](const ending& one) { return one.at <= now; });
  std::erase_if(endings_, [&](const ending& one) { return one.at <= now; });
  for (const ending& one : due) {
    one.act();
    note("end   " + one.of);
  }
}

bool stage::calm() {
  for (ending& one : endings_) one.at = instant{};
  end_what_is_due();
  constexpr auto patience = 90s;
  const bool quiet = test_support::eventually(
      [&] {
        end_what_is_due();
        return operator_.idle() && endings_.empty();
      },
      patience);
  end_what_is_due();
  bool sound = test_support::eventually([&] { return all_serve(); }, patience);
  if (sound && !all_commit()) {
    start_anew();
    sound = test_support::eventually([&] { return all_serve(); }, patience) && all_commit();
  }
  note(std::string("calm  ") + (quiet ? "" : "the operator is not; ") + (sound ? "all serve" : "not all serve"));
  return quiet && sound;
}

bool stage::all_serve() const {
  for (std::size_t server = 0; server < servers; ++server) {
    if (!serves(server)) return false;
  }
  return leader().has_value();
}

/// Asked of each server by a client that has nothing to do with us: a session that begins, and a sync in it, are what the
/// leader has to commit. ZooKeeper 3.8.0 sometimes comes out of partitions and elections with a leader and two followers
/// that say so, and commit nothing any more: syncs pend (`zk_pending_syncs` grows), every session is suspended and
/// connected again without end. No wait can end then, so that what the judge goes by, that all serve, has to be seen.
bool stage::all_commit() const {
  for (std::size_t server = 0; server < servers; ++server) {
    try {
      test::inspector look("127.0.0.1:" + std::to_string(zookeeper_.port(server)));
      if (look.ask(client::request::sync{"/"}).code != client::code::ok) return false;
    } catch (const std::exception&) {
      return false;
    }
  }
  return true;
}

/// Their data stays. What they said is kept: it is a finding about them.
void stage::start_anew() {
  ++standstills_;
  note("stood still: started anew");
  keep_server_logs("standstill-" + std::to_string(standstills_) + "-");
  for (std::size_t server = 0; server < servers; ++server) zookeeper_.kill(server);
  for (std::size_t server = 0; server < servers; ++server) zookeeper_.restart(server, false);
}

void stage::say_to_all(const std::string& order) {
  told_to_work_ = order == "work";
  for (const worker& one : workers_) one.process->say(order);
  note("say   " + order);
}

std::vector<std::string> stage::running() const {
  std::vector<std::string> names;
  for (std::size_t number = 0; number < workers; ++number) names.push_back(workers_[number].name(number));
  return names;
}

std::vector<std::string> stage::ended_by_themselves() {
  std::vector<std::string> ended;
  for (std::size_t number = 0; number < workers; ++number) {
    worker& one = workers_[number];
    if (const auto how = one.process->ended()) ended.push_back(one.name(number) + " has ended " + *how);
  }
  return ended;
}

std::vector<std::string> stage::dismiss() {
  say_to_all("quit");
  constexpr auto patience = 60s;
  std::vector<std::string> bad;
  for (std::size_t number = 0; number < workers; ++number) {
    worker& one = workers_[number];
    std::optional<std::string> how;
    if (!test_support::eventually([&] { return (how = one.process->ended()).has_value(); }, patience)) {
      bad.push_back(one.name(number) + " does not end");
    } else if (how != "with status 0") {
      bad.push_back(one.name(number) + " has ended " + *how);
    }
  }
  return bad;
}

std::vector<planned_fault> stage::take_undone() { return std::exchange(undone_, {}); }

std::filesystem::path stage::store_of(const std::string& lock) const {
  const auto found = std::find(nodes_.locks.begin(), nodes_.locks.end(), lock);
  return options_.directory / ("store-" + std::to_string(found - nodes_.locks.begin()));
}

std::vector<std::string> stage::watches() const {
  std::vector<std::string> found;
  for (std::size_t server = 0; server < servers; ++server) {
    const std::string name = "server " + std::to_string(server + 1);
    const auto its = watched_below(chroot, zookeeper_.ask("wchp", server));
    if (!its) found.push_back(name + " does not say which watches it has");
    for (const std::string& path : its.value_or(std::vector<std::string>{})) found.push_back(name + ": " + path);
  }
  return found;
}

void stage::keep_server_logs(const std::string& prefix) const {
  for (std::size_t server = 0; server < servers; ++server) {
    const std::string name = prefix + "server-" + std::to_string(server + 1);
    std::error_code not_there;
    std::filesystem::copy_file(zookeeper_.data_directory(server).parent_path() / "log", options_.directory / name,
                               std::filesystem::copy_options::overwrite_existing, not_there);
    std::ofstream said(options_.directory / (name + ".says"));
    for (const char* word : {"mntr", "cons", "wchp", "dump"}) {
      said << word << "\n" << test_support::ask_server(zookeeper_.port(server), word, 2s) << "\n";
    }
  }
}

void stage::note(const std::string& line) {
  notes_ << boot_clock::now().time_since_epoch().count() << ' ' << line << std::endl;
}

bool stage::serves(std::size_t server) const {
  return test_support::ask_server(zookeeper_.port(server), "srvr", 300ms).find("Mode:") != std::string::npos;
}

/// Of those that answer: a frozen one would be waited for.
std::optional<std::size_t> stage::leader() const {
  for (std::size_t server = 0; server < servers; ++server) {
    if (server_busy_[server]) continue;
    if (test_support::ask_server(zookeeper_.port(server), "srvr", 300ms).find("Mode: leader") != std::string::npos) {
      return server;
    }
  }
  return std::nullopt;
}

std::optional<std::size_t> stage::free_server(std::uint64_t choice) const {
  for (std::size_t i = 0; i < servers; ++i) {
    const std::size_t server = (choice + i) % servers;
    if (!server_busy_[server]) return server;
  }
  return std::nullopt;
}

}  // namespace zklock::soak
