#pragma once

#include <filesystem>

/// A number in a file, and who is looking at it: what the demo's processes share besides the lock.
namespace demo {

/// Any process may read and write it at any time. Nothing here keeps one from writing what another has just changed:
/// that is what the lock is for.
class shared_counter {
 public:
  explicit shared_counter(std::filesystem::path file) : file_(std::move(file)) {}

  void create() const { write(0); }
  [[nodiscard]] long read() const;
  void write(long value) const;

 private:
  std::filesystem::path file_;
};

/// Counts in memory that all the processes map: how often the counter was read, and how many of them are through.
class meeting_point {
 public:
  static void create(const std::filesystem::path& file);
  explicit meeting_point(const std::filesystem::path& file);
  ~meeting_point();
  meeting_point(const meeting_point&) = delete;
  meeting_point& operator=(const meeting_point&) = delete;

  /// Says that the counter was read; returns how often that was said before and now.
  long note_read();
  [[nodiscard]] long reads() const;
  void note_finished();
  [[nodiscard]] long finished() const;

 private:
  struct counts;
  counts* counts_;
};

}  // namespace demo
