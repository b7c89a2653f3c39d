#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "examples/demo/token_store.hpp"
#include "tests/soak/attempt.hpp"

namespace zklock::soak {

/// A hold from the grant to the giving back: asks whether it is held, writes down what it is told, counts the lock's store
/// up under its token. Used by one thread.
class holding {
 public:
  holding(acquired got, recursive_mutex& lock, const std::filesystem::path& store, lot& draws, const desk& on);

  /// Does all of that. `base` is what this thread has read under its last hold of this lock: for planted::stale_base.
  void go(std::int64_t& base);

 private:
  void work();
  bool ask();
  void stay(std::chrono::milliseconds time);
  void note_loss();
  void read_and_write();
  void read();
  void write();
  void go_on_all_the_same();
  void release();
  void flush();
  void note_wrong(const std::string& what) const;

  acquired got_;
  recursive_mutex& lock_;
  demo::token_store store_;
  lot& draws_;
  const desk& on_;

  bool careless_;  ///< writes without asking first: the token has to save the store
  bool began_ = false;
  bool lost_ = false;
  instant last_yes_;
  instant flushed_;
  std::optional<std::int64_t> base_;  ///< what the store says, as far as is known here
};

}  // namespace zklock::soak
