// Plays each way to lose a lock many times, and writes the tables of docs/design/loss.md. Exits non-zero when anything was
// seen that must not be, above all a holder that believed in its hold while the next one had been granted.
//
//   zklock_loss_table [--runs N] [--only KEY[,KEY...]] [--page docs/design/loss.md]
#include <spdlog/sinks/null_sink.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <iostream>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "tests/loss/loss_page.hpp"
#include "tests/loss/trial.hpp"

namespace zklock::test {
namespace {

struct arguments {
  int runs = 20;
  std::string only;
  std::string page;
};

arguments parse(int count, char** texts) {
  arguments asked;
  for (int next = 1; next + 1 < count; next += 2) {
    const std::string name = texts[next];
    if (name == "--runs") {
      asked.runs = std::stoi(texts[next + 1]);
    } else if (name == "--only") {
      asked.only = "," + std::string(texts[next + 1]) + ",";
    } else if (name == "--page") {
      asked.page = texts[next + 1];
    } else {
      throw std::invalid_argument("no such argument: " + name);
    }
  }
  if (count % 2 == 0 || asked.runs < 1) {
    throw std::invalid_argument("usage: [--runs N] [--only KEY[,KEY...]] [--page FILE]");
  }
  return asked;
}

/// Plays ways one after the other, on servers that stay for all of them; goes on with what is missing.
class troupe {
 public:
  troupe(std::vector<played*> ways, int runs) : ways_(std::move(ways)), runs_(runs) {}

  void play(scene& where) {
    for (played* one : ways_) {
      while (std::ssize(one->runs) < runs_) {
        one->runs.push_back(trial(where, *one->way).play());
        report(*one);
      }
    }
  }

 private:
  static void report(const played& one) {
    static std::mutex alone;
    const std::lock_guard guard(alone);
    const findings& last = one.runs.back();
    std::cerr << one.way->key << ' ' << one.runs.size() << ": "
              << (last.survived ? "survived" : std::string(to_string(last.holder.reason))) << ", next grant "
              << std::chrono::duration<double>(last.granted - last.holder.last_yes).count()
              << " s after the last yes\n";
    for (const std::string& violation : last.violations) std::cerr << "  VIOLATION: " << violation << '\n';
  }

  std::vector<played*> ways_;
  int runs_;
};

/// Which ways share servers: those that only wait can go on at the same time, each on servers of its own where it harms them.
class company {
 public:
  company(std::vector<played>& all, int runs) : runs_(runs) {
    for (played& one : all) {
      switch (one.way->where) {
        case place::shared_server: shared_.push_back({&one}); break;
        case place::own_server: own_.push_back({&one}); break;
        case place::three_servers: three_[(dealt_++) % three_.size()].push_back(&one); break;
        case place::linked_servers: linked_group(*one.way).push_back(&one); break;
      }
    }
  }

  /// Whether every run came to its end.
  bool play() {
    const private_zookeeper shared;
    {
      std::vector<std::jthread> all;
      for (const auto& ways : shared_) all.emplace_back([&] { play_on_shared(ways, shared.connect_string()); });
      for (const auto& ways : own_) all.emplace_back([&] { play_on_own(ways); });
      for (const auto& ways : three_) all.emplace_back([&] { play_on_own(ways); });
      for (const auto& ways : linked_) all.emplace_back([&] { play_on_own(ways); });
    }
    return !failed_;
  }

 private:
  std::vector<played*>& linked_group(const way_to_lose& way) {
    const auto found = std::ranges::find_if(
        linked_, [&](const auto& ways) { return servers_for(*ways.front()->way) == servers_for(way); });
    return found != linked_.end() ? *found : linked_.emplace_back();
  }

  void play_on_shared(const std::vector<played*>& ways, const std::string& servers) try {
    scene where(servers);
    troupe(ways, runs_).play(where);
  } catch (const std::exception& failure) {
    fail(ways, failure);
  }

  /// Ways on servers of the same kind. Servers that come to a standstill are replaced, twice: some do, after partitions.
  void play_on_own(const std::vector<played*>& ways) {
    for (int replaced = 0; !ways.empty(); ++replaced) {
      try {
        private_zookeeper own(servers_for(*ways.front()->way));
        scene where(own);
        troupe(ways, runs_).play(where);
        return;
      } catch (const std::exception& failure) {
        if (replaced == 2) {
          fail(ways, failure);
          return;
        }
        std::cerr << "ON NEW SERVERS, " << ways.front()->way->key << " and what follows: " << failure.what() << '\n';
      }
    }
  }

  void fail(const std::vector<played*>& ways, const std::exception& failure) {
    failed_ = true;
    std::cerr << "BROKEN OFF, " << ways.front()->way->key << " and what was to follow: " << failure.what() << '\n';
  }

  int runs_;
  std::size_t dealt_ = 0;
  std::vector<std::vector<played*>> shared_;
  std::vector<std::vector<played*>> own_;
  std::array<std::vector<played*>, 3> three_;
  std::vector<std::vector<played*>> linked_;  ///< one for each kind of servers
  std::atomic<bool> failed_ = false;
};

int measure(const arguments& asked) {
  spdlog::register_logger(std::make_shared<spdlog::logger>("zklock", std::make_shared<spdlog::sinks::null_sink_mt>()));
  std::vector<played> all;
  for (const way_to_lose& way : ways_to_lose()) {
    if (asked.only.empty() || asked.only.find("," + std::string(way.key) + ",") != std::string::npos) {
      all.push_back({&way, {}});
    }
  }
  const bool complete = company(all, asked.runs).play();
  const std::string tables = tables_of(all);
  std::cout << tables;
  std::size_t violations = 0;
  for (const played& one : all) {
    for (const findings& run : one.runs) violations += run.violations.size();
  }
  std::cerr << violations << " violations" << (complete ? "" : ", and not all was played") << '\n';
  if (complete && !asked.page.empty()) {
    write_into_page(asked.page, tables);
  }
  return complete && violations == 0 ? 0 : 1;
}

}  // namespace
}  // namespace zklock::test

int main(int count, char** texts) try {
  return zklock::test::measure(zklock::test::parse(count, texts));
} catch (const std::exception& failure) {
  std::cerr << "zklock_loss_table: " << failure.what() << '\n';
  return 2;
}
