#pragma once

#include <chrono>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "tests/integration/talking_process.hpp"

namespace zklock::test {

enum class library : std::uint8_t { zklock, curator, kazoo, kazoo_without_pattern, go_zk };
[[nodiscard]] const char* name_of(library one);
void PrintTo(library one, std::ostream* to);

/// What a peer is asked for. Kinds that all peers know, in Curator's layout: mutex, semaphore-mutex, write, read,
/// permits:N:LIMIT (N at a time), multi (of mutexes), multi-semaphore-mutex; of a multi-lock the paths stand between
/// commas; selector, latch (to acquire is to lead). Curator alone: revocable-mutex. zklock alone: the same in the native layout, as native-mutex …,
/// and kept-native-mutex (lock_options::keep). kazoo: mutex. go-zk: mutex, without a time limit.
struct lock_at {
  std::string kind, paths;
};

/// A process that takes part in locks, by one library or another. Asked without begin_ it waits for the answer.
///
///     connect                          connected
///     acquire KIND PATHS MS            held | not in time | failed: …
///     release KIND PATHS               released | failed: …
///     downgrade PATH                   downgraded       what was write is read from here on
///     hammer KIND PATHS DIR LETTER LETTERS SHARE        done | violated: … | failed: …      see hammer.hpp
///     participants KIND PATH           names, first come first
///     state KIND    PATHS              held | lost | none                           (zklock alone)
///     asked KIND    PATHS              asked | not asked: another client wants it back; of Curator: any revocable mutex
///     revoke NODE                      asked: by Curator's Revoker                  (Curator alone, as what follows)
///     leader KIND PATH                 leader ID: of the selector or latch that leads; nothing: nobody
///     tree PATH                        each node below it as path|kind|data in hex|access list, sorted, UUIDs as <uuid>
///     protection NAME                  its protection id and the rest of its name, as Curator reads it
class peer {
 public:
  peer(library one, const std::string& servers, std::chrono::milliseconds timeout, const std::string& label = {});
  peer(const peer&) = delete;
  peer& operator=(const peer&) = delete;
  ~peer();

  void begin(const std::string& order) { process_.order(order); }
  [[nodiscard]] std::string answer() { return process_.answer().value_or("no answer"); }
  [[nodiscard]] bool answers_within(std::chrono::milliseconds limit) { return process_.answer(limit).has_value(); }
  [[nodiscard]] std::string ask(const std::string& order) {
    begin(order);
    return answer();
  }

  void begin_to_acquire(const lock_at& what, std::chrono::milliseconds limit = std::chrono::seconds(60));
  [[nodiscard]] std::string acquire(const lock_at& what, std::chrono::milliseconds limit = std::chrono::seconds(60)) {
    begin_to_acquire(what, limit);
    return answer();
  }
  [[nodiscard]] std::string release(const lock_at& what) { return ask("release " + what.kind + " " + what.paths); }
  [[nodiscard]] std::string downgrade(const std::string& path) { return ask("downgrade " + path); }

  /// With SIGKILL: its session goes when it has timed out.
  void kill();

  [[nodiscard]] library of() const noexcept { return library_; }

 private:
  const library library_;
  bool killed_ = false;
  talking_process process_;
};

}  // namespace zklock::test
