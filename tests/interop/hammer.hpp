#pragma once

#include <filesystem>
#include <string>

#include "tests/interop/own_locks.hpp"

namespace zklock::interop {

/// One lock over and over, by many at once, until each side has had its share: so none is done before the others have
/// begun. A holder looks for other holders, counts, and writes itself down in the order of grants.
/// Hammer.java, kazoo_peer.py and go_zk_peer/main.go are its twins.
class hammer {
 public:
  /// The kind "sides" is both sides of a read/write lock in turn.
  hammer(own_locks& locks, std::string kind, std::string paths, std::filesystem::path directory);

  /// `letter` stands for this side in the order of grants, `sides` are the letters of all. What comes back says "done",
  /// or what was wrong.
  std::string strike(char letter, const std::string& sides, int share);

 private:
  /// What was wrong, if anything was.
  std::string once(const std::string& kind, char letter);
  void inside(const std::string& kind, char letter, grant& held);

  own_locks& locks_;
  const std::string kind_, paths_;
  const std::filesystem::path directory_;
};

}  // namespace zklock::interop
