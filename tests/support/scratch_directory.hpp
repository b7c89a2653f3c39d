#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace zklock::test_support {

/// A directory of a test's own, gone at the end with all that is in it.
class scratch_directory {
 public:
  scratch_directory() {
    std::string made = (std::filesystem::temp_directory_path() / "zklock-test-XXXXXX").string();
    if (::mkdtemp(made.data()) == nullptr) {
      throw std::runtime_error("no directory for " + made);
    }
    path_ = made;
  }
  scratch_directory(const scratch_directory&) = delete;
  scratch_directory& operator=(const scratch_directory&) = delete;
  ~scratch_directory() { std::filesystem::remove_all(path_); }

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  /// Empty when there is no such file.
  [[nodiscard]] std::string text_of(const std::string& file) const {
    std::ifstream from(path_ / file);
    return {std::istreambuf_iterator<char>(from), {}};
  }
  /// -1 when there is none.
  [[nodiscard]] long number_in(const std::string& file) const {
    long value = -1;
    std::ifstream(path_ / file) >> value;
    return value;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace zklock::test_support
