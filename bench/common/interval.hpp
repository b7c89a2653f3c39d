#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace bench {

/// The part of a workload that is measured: from the driver's line "go" until end().
class interval {
 public:
  /// Says that all is prepared, and waits for the driver.
  void begin();
  /// Takes the clock and the process's resource usage, and prints them. Later additions are lost.
  void end(long operations);

  /// Seconds of one operation. Any thread.
  void add_latencies(const std::vector<double>& seconds);
  /// A further number of the result.
  void note(const std::string& name, double value) { notes_[name] = value; }
  [[nodiscard]] double seconds_so_far() const;

 private:
  struct usage {
    double wall, cpu;
    long voluntary, involuntary;
  };
  static usage now();

  usage begun_{};
  std::mutex latencies_mutex_;
  std::vector<double> latencies_;
  std::map<std::string, double> notes_;
};

}  // namespace bench
