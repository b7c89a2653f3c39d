#include "tests/interop/marks.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "tests/support/eventually.hpp"

namespace zklock::interop {
namespace {

constexpr std::chrono::milliseconds longest_stay{10};

/// False when it is there already and was not to be.
bool write_to(const std::filesystem::path& file, int flags, const std::string& text) {
  const int opened = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0600);
  if (opened < 0) {
    if (errno == EEXIST) return false;
    throw std::system_error(errno, std::generic_category(), file);
  }
  const bool written = ::write(opened, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ::close(opened);
  if (!written) throw std::runtime_error("cannot write " + file.string());
  return true;
}

}  // namespace

marks::marks(std::filesystem::path directory, std::string lock)
    : directory_(std::move(directory)), lock_(std::move(lock)) {}

marks::~marks() {
  for (const auto& one : mine_) {
    std::error_code gone_already;
    std::filesystem::remove(one, gone_already);
  }
}

void marks::enter_alone() {
  if (!make("alone")) throw violation(lock_ + ": zklock alone beside another alone");
  if (is_shared()) throw violation(lock_ + ": zklock alone beside a holder that shares");
}

void marks::enter_shared() {
  make_shared_mark();
  expect_none_alone();
}

void marks::take_places(int count, int limit) {
  int taken = 0;
  for (int place = 0; place < limit && taken < count; ++place) {
    taken += make("place-" + std::to_string(place)) ? 1 : 0;
  }
  if (taken < count) throw violation(lock_ + ": zklock has found no free place");
}

void marks::await_others(int limit) {
  const auto full = [this, limit] {
    for (int place = 0; place < limit; ++place) {
      if (!std::filesystem::exists(file("place-" + std::to_string(place)))) return false;
    }
    return true;
  };
  if (test_support::eventually(full, longest_stay)) {
    static_cast<void>(write_to(file("full"), O_APPEND, "f"));
  }
}

void marks::share() {
  const auto alone = mine_.front();
  make_shared_mark();
  std::filesystem::remove(alone);
  mine_.erase(mine_.begin());
}

void marks::expect_none_alone() const {
  if (std::filesystem::exists(file("alone"))) throw violation(lock_ + ": zklock shares beside a holder that is alone");
}

void marks::count() {
  long value = 0;
  std::ifstream(file("counter")) >> value;
  std::ofstream(file("counter")) << value + 1 << '\n';
}

bool marks::make(const std::string& what) {
  const bool made = write_to(file(what), O_EXCL, "");
  if (made) mine_.push_back(file(what));
  return made;
}

void marks::make_shared_mark() {
  static int entered = 0;
  make("shared-" + std::to_string(::getpid()) + "-" + std::to_string(++entered));
}

bool marks::is_shared() const {
  return std::ranges::any_of(std::filesystem::directory_iterator(directory_), [this](const auto& one) {
    return one.path().filename().string().starts_with(lock_ + ".shared-");
  });
}

void grant_order::append(char letter) const { static_cast<void>(write_to(file_, O_APPEND, std::string(1, letter))); }

std::string grant_order::text() const {
  std::ifstream from(file_);
  std::string all{std::istreambuf_iterator<char>(from), {}};
  std::ranges::transform(all, all.begin(), [](unsigned char one) { return static_cast<char>(std::toupper(one)); });
  return all;
}

void grant_order::stop() const { static_cast<void>(write_to(stopped_, 0, "")); }

bool grant_order::over(int share, const std::string& sides) const {
  if (std::filesystem::exists(stopped_)) return true;
  const std::string all = text();
  return std::ranges::all_of(sides, [&](char side) { return std::ranges::count(all, side) >= share; });
}

}  // namespace zklock::interop
