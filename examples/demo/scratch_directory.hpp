#pragma once

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace demo {

/// A new directory, removed at the end.
class scratch_directory {
 public:
  scratch_directory() : path_((std::filesystem::temp_directory_path() / "zklock-demo-XXXXXX").string()) {
    if (::mkdtemp(path_.data()) == nullptr) throw std::system_error(errno, std::generic_category(), path_);
  }
  ~scratch_directory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  scratch_directory(const scratch_directory&) = delete;
  scratch_directory& operator=(const scratch_directory&) = delete;

  [[nodiscard]] std::filesystem::path file(const std::string& name) const {
    return std::filesystem::path(path_) / name;
  }
  /// No other directory there has it.
  [[nodiscard]] std::string name() const { return std::filesystem::path(path_).filename(); }

 private:
  std::string path_;
};

}  // namespace demo
