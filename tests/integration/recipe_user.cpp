// A process that uses a recipe over and over, and checks what the lock is to protect: does what its stdin says, a line at a
// time, and answers each with a line. Arguments: connect string, directory for files.
#include <zklock/zklock.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <sstream>
#include <string>

namespace {

/// Two counters in a file each, which nothing but the lock protects: equal whenever no process is at them.
class pair_of_counters {
 public:
  explicit pair_of_counters(const std::filesystem::path& directory)
      : first_(directory / "first"), second_(directory / "second") {}

  void increment() {
    const long first = read(first_);
    const long second = read(second_);
    write(first_, first + 1);
    write(second_, second + 1);
  }
  [[nodiscard]] bool consistent() const { return read(first_) == read(second_); }

 private:
  static long read(const std::filesystem::path& from) {
    long value = 0;
    std::ifstream(from) >> value;
    return value;
  }
  static void write(const std::filesystem::path& to, long value) { std::ofstream(to) << value; }

  std::filesystem::path first_, second_;
};

/// Places that can be taken once each: a process that finds none has come in as one too many.
class places {
 public:
  places(std::filesystem::path directory, int count) : directory_(std::move(directory)), count_(count) {}

  /// Its number; as many as there are: none is free.
  [[nodiscard]] int take() const {
    for (int place = 0; place < count_; ++place) {
      const int made = ::open(of(place).c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
      if (made >= 0) {
        ::close(made);
        return place;
      }
    }
    return count_;
  }
  void leave(int place) const { std::filesystem::remove(of(place)); }

 private:
  [[nodiscard]] std::filesystem::path of(int place) const { return directory_ / ("place-" + std::to_string(place)); }

  std::filesystem::path directory_;
  int count_;
};

class user {
 public:
  user(const std::string& servers, const std::filesystem::path& directory)
      : session_(servers), directory_(directory), counters_(directory) {}

  std::string answer(const std::string& order, int rounds) {
    const std::map<std::string, std::function<std::string()>> known{{"write", [&] { return write(rounds); }},
                                                                    {"read", [&] { return read(rounds); }},
                                                                    {"use", [&] { return use(rounds); }},
                                                                    {"use-both", [&] { return use_both(rounds); }}};
    const auto found = known.find(order);
    return found == known.end() ? "no such order: " + order : found->second();
  }

 private:
  std::string write(int rounds) {
    zklock::shared_mutex lock(session_, "/pair");
    for (int round = 0; round < rounds; ++round) {
      zklock::grant writing = lock.acquire();
      counters_.increment();
      if (round % 3 == 0) {
        writing.downgrade();
        if (!counters_.consistent()) return "inconsistent after a downgrade";
      }
    }
    return "done";
  }

  std::string read(int rounds) {
    zklock::shared_mutex lock(session_, "/pair");
    for (int round = 0; round < rounds; ++round) {
      const std::shared_lock reading(lock);
      if (!counters_.consistent()) return "inconsistent";
    }
    return "done";
  }

  std::string use(int rounds) {
    const places two(directory_, 2);
    zklock::semaphore pool(session_, "/pool", 2);
    for (int round = 0; round < rounds; ++round) {
      const zklock::grant permit = pool.permits().acquire();
      const int place = two.take();
      if (place == 2) return "one too many";
      two.leave(place);
    }
    return "done";
  }

  std::string use_both(int rounds) {
    const places one(directory_, 1);
    zklock::semaphore pool(session_, "/pool", 2);
    for (int round = 0; round < rounds; ++round) {
      const zklock::grant permits = pool.permits(2).acquire();
      const int place = one.take();
      if (place == 1) return "one too many";
      one.leave(place);
    }
    return "done";
  }

  zklock::session session_;
  std::filesystem::path directory_;
  pair_of_counters counters_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    return EXIT_FAILURE;
  }
  user it(argv[1], argv[2]);
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string order;
    int rounds = 0;
    words >> order >> rounds;
    try {
      std::cout << it.answer(order, rounds) << std::endl;
    } catch (const std::exception& failure) {
      std::cout << failure.what() << std::endl;
    }
  }
}
