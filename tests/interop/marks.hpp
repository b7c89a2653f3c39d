#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace zklock::interop {

/// Two held that exclude each other.
class violation : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What the holders of one lock, of whatever library, leave in a directory to see each other by. They are made after
/// the grant and gone before the release, each in one step that fails when it is there already:
///
///     <lock>.alone          a holder that excludes all others
///     <lock>.shared-<…>     each holder that excludes only those that are alone
///     <lock>.place-<n>      each permit of a semaphore, n below its limit
///     <lock>.full           a letter for each time that a holder has seen all of them taken
///     <lock>.counter        read, added one to and written back while alone: nothing but the lock keeps it exact
///
/// Marks.java, kazoo_peer.py and go_zk_peer/main.go are its twins.
class marks {
 public:
  marks(std::filesystem::path directory, std::string lock);
  marks(const marks&) = delete;
  marks& operator=(const marks&) = delete;
  ~marks();

  // ---- these throw `violation`
  void enter_alone();
  void enter_shared();
  void take_places(int count, int limit);
  void expect_none_alone() const;

  /// Stays while there is room for more, though not for long: so that the limit is reached, and could be passed.
  void await_others(int limit);
  /// From alone to shared, while still alone.
  void share();
  void count();

 private:
  [[nodiscard]] std::filesystem::path file(const std::string& what) const { return directory_ / (lock_ + "." + what); }
  bool make(const std::string& what);
  void make_shared_mark();
  [[nodiscard]] bool is_shared() const;

  const std::filesystem::path directory_;
  const std::string lock_;
  std::vector<std::filesystem::path> mine_;
};

/// The order in which locks were granted in such a directory: a letter for each, lower case for one that shared.
class grant_order {
 public:
  explicit grant_order(const std::filesystem::path& directory)
      : file_(directory / "order"), stopped_(directory / "stopped") {}

  void append(char letter) const;
  [[nodiscard]] std::string text() const;  ///< in upper case
  /// Every side has had its share, or a process has called stop().
  [[nodiscard]] bool over(int share, const std::string& sides) const;
  /// For all, since something was wrong.
  void stop() const;

 private:
  const std::filesystem::path file_, stopped_;
};

}  // namespace zklock::interop
