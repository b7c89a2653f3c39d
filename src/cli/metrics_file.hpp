#pragma once

#include <string>
#include <thread>

#include <zklock/session.hpp>

namespace zklock::cli {

/// Writes a session's statistics to a file, as node_exporter's textfile collector reads them: at once, each 15 s and at its end;
/// each time a whole file takes the place of the one before. On a thread of its own, so a file system that hangs delays no end of
/// COMMAND. What fails later is said once.
class metrics_file {
 public:
  /// `path` empty: does nothing. `name`: what the labels `session` and `lock` say; the files of one collector need several. Throws
  /// usage_error if the file cannot be written, or is something else than a file.
  metrics_file(const session& of, const std::string& path, const std::string& name);
  metrics_file(const metrics_file&) = delete;
  metrics_file& operator=(const metrics_file&) = delete;
  ~metrics_file();

 private:
  [[nodiscard]] std::string figures(bool at_end = false) const;

  const session& of_;
  const std::string path_;
  const std::string name_;
  std::jthread writes_;
};

}  // namespace zklock::cli
