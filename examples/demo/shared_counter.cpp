#include "examples/demo/shared_counter.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <memory>
#include <new>
#include <string>
#include <system_error>

namespace demo {

namespace {

[[noreturn]] void fail(const std::filesystem::path& file) {
  throw std::system_error(errno, std::generic_category(), file.string());
}

}  // namespace

long shared_counter::read() const {
  std::ifstream file(file_);
  long value = 0;
  if (!(file >> value)) fail(file_);
  return value;
}

/// Always as many characters, and never truncated first, so that who reads meanwhile finds a number.
void shared_counter::write(long value) const {
  std::string digits = std::to_string(value);
  digits.insert(0, 12 - digits.size(), ' ');
  std::ofstream file(file_, std::filesystem::exists(file_) ? std::ios::in | std::ios::out : std::ios::out);
  if (!(file << digits << std::endl)) fail(file_);
}

struct meeting_point::counts {
  std::atomic<long> reads;
  std::atomic<long> finished;
  static_assert(std::atomic<long>::is_always_lock_free, "else it would not work between processes");
};

void meeting_point::create(const std::filesystem::path& file) {
  if (!(std::ofstream(file) << std::string(sizeof(counts), '\0') << std::flush)) fail(file);
}

meeting_point::meeting_point(const std::filesystem::path& file) {
  const int opened = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
  if (opened < 0) fail(file);
  void* mapped = ::mmap(nullptr, sizeof(counts), PROT_READ | PROT_WRITE, MAP_SHARED, opened, 0);
  ::close(opened);
  if (mapped == MAP_FAILED) fail(file);
  counts_ = std::launder(static_cast<counts*>(mapped));
}

meeting_point::~meeting_point() { ::munmap(counts_, sizeof(counts)); }

long meeting_point::note_read() { return ++counts_->reads; }
long meeting_point::reads() const { return counts_->reads; }
void meeting_point::note_finished() { ++counts_->finished; }
long meeting_point::finished() const { return counts_->finished; }

}  // namespace demo
