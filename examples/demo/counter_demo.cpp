// Processes increment a counter in a file: read it, add one, write it. Under the lock the sum comes out right; without
// it increments get lost. See scripts/demo.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "examples/demo/shared_counter.hpp"
#include "examples/demo/worker.hpp"

namespace {

constexpr int bad_usage = 64;

struct usage_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void print_usage(std::ostream& out) {
  out << "usage: counter_demo [--without-lock] [--workers N] [--increments M] [--connect SERVERS]\n"
         "Each of N processes (default 4) increments a counter in a file M times (default 10). SERVERS defaults to\n"
         "$ZKLOCK_CONNECT, then 127.0.0.1:2181. Exits 0 only if the sum is N x M.\n";
}

long number(const std::string& option, const std::string& text, long least) {
  std::size_t used = 0;
  long value = 0;
  try {
    value = std::stol(text, &used);
  } catch (const std::logic_error&) {
    used = 0;
  }
  if (used == 0 || used != text.size() || value < least || value > 10'000) {
    throw usage_error(option + " takes a number from " + std::to_string(least) + " to 10000, not '" + text + "'");
  }
  return value;
}

demo::worker_options parse(std::span<char*> arguments) {
  const char* connect = std::getenv("ZKLOCK_CONNECT");
  demo::worker_options options{
      .connect = connect != nullptr ? connect : "127.0.0.1:2181", .increments = 10, .workers = 4};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string option = arguments[i];
    if (option == "--without-lock") {
      options.with_lock = false;
      continue;
    }
    if (i + 1 == arguments.size()) throw usage_error("unknown argument, or one without its value: '" + option + "'");
    const std::string value = arguments[++i];
    if (option == "--workers") {
      options.workers = number(option, value, 2);
    } else if (option == "--increments") {
      options.increments = number(option, value, 1);
    } else if (option == "--connect") {
      options.connect = value;
    } else if (option == "--worker") {  // this process is one: the demo starts itself with these two
      options.label = value;
    } else if (option == "--directory") {
      options.directory = value;
    } else {
      throw usage_error("unknown argument '" + option + "'");
    }
  }
  return options;
}

/// The processes, between "go" through their standard input and their lines from their standard output.
class workers {
 public:
  explicit workers(const demo::worker_options& options) {
    std::array<int, 2> start{};
    std::array<int, 2> lines{};
    if (::pipe2(start.data(), O_CLOEXEC) != 0 || ::pipe2(lines.data(), O_CLOEXEC) != 0) {
      throw std::system_error(errno, std::generic_category(), "pipe2");
    }
    for (long i = 1; i <= options.workers; ++i) spawn(options, "worker-" + std::to_string(i), start[0], lines[1]);
    ::close(start[0]);
    ::close(lines[1]);
    start_ = start[1];
    lines_ = ::fdopen(lines[0], "r");
  }
  ~workers() {
    std::fclose(lines_);
    for (const pid_t pid : pids_) ::kill(pid, SIGKILL);
    wait();
  }
  workers(const workers&) = delete;
  workers& operator=(const workers&) = delete;

  /// The next line of any of them; false once all have ended.
  bool next(std::string& line) {
    std::array<char, 256> buffer{};
    if (std::fgets(buffer.data(), static_cast<int>(buffer.size()), lines_) == nullptr) return false;
    line.assign(buffer.data());
    line.erase(line.find_last_not_of('\n') + 1);
    return true;
  }
  void go() { ::close(start_); }
  /// Whether all of them ended well.
  bool wait() {
    bool well = true;
    for (const pid_t pid : pids_) {
      int status = 0;
      while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
      well = well && status == 0;
    }
    pids_.clear();
    return well;
  }

 private:
  /// A program of its own, not a mere fork(): a ZooKeeper session does not survive one.
  void spawn(const demo::worker_options& options, const std::string& label, int input, int output) {
    std::vector<std::string> words{"counter_demo",
                                   "--worker",
                                   label,
                                   "--directory",
                                   options.directory.string(),
                                   "--connect",
                                   options.connect,
                                   "--workers",
                                   std::to_string(options.workers),
                                   "--increments",
                                   std::to_string(options.increments)};
    if (!options.with_lock) words.emplace_back("--without-lock");
    std::vector<char*> argv;
    argv.reserve(words.size() + 1);
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t files{};
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
    pid_t pid = 0;
    const int error = ::posix_spawn(&pid, "/proc/self/exe", &files, nullptr, argv.data(), environ);
    ::posix_spawn_file_actions_destroy(&files);
    if (error != 0) throw std::system_error(error, std::generic_category(), "posix_spawn");
    pids_.push_back(pid);
  }

  std::vector<pid_t> pids_;
  int start_ = -1;
  std::FILE* lines_ = nullptr;
};

/// Prints who held, in the order in which they did, and keeps an eye on the tokens.
class timeline {
 public:
  explicit timeline(bool with_lock) : with_lock_(with_lock) {
    std::cout << "      at  process       " << (with_lock ? "token              waited  " : "") << "counter\n";
  }

  void add(const std::string& line) {
    std::istringstream fields(line);
    std::string label;
    long long token = 0;
    long waited = 0;
    long value = 0;
    if (!(fields >> label >> token >> waited >> value)) throw std::runtime_error("not understood: " + line);
    const std::chrono::duration<double, std::milli> at = std::chrono::steady_clock::now() - start_;
    std::cout << std::fixed << std::setprecision(1) << std::setw(7) << at.count() << "ms  " << std::left
              << std::setw(12) << label << "  ";
    if (with_lock_) {
      std::cout << "0x" << std::hex << std::setw(12) << token << std::dec << std::right << std::setw(8)
                << static_cast<double>(waited) / 1000 << "ms  ";
    }
    std::cout << std::right << value << " -> " << value + 1 << '\n';
    if (with_lock_ && token <= last_token_) tokens_rise_ = false;
    last_token_ = token;
  }
  [[nodiscard]] bool tokens_rise() const { return tokens_rise_; }

 private:
  bool with_lock_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  long long last_token_ = 0;
  bool tokens_rise_ = true;
};

bool conclude(const demo::worker_options& options, long sum) {
  const long expected = options.workers * options.increments;
  std::cout << "\nThe counter says " << sum << ", expected are " << options.workers << " x " << options.increments
            << " = " << expected << ": ";
  if (sum == expected) {
    std::cout << "no increment was lost.\n";
  } else {
    std::cout << expected - sum << " increments were lost.\n";
  }
  return sum == expected;
}

bool run(const demo::worker_options& options) {
  std::cout << options.workers << " processes, " << options.increments << " increments each, "
            << (options.with_lock ? "under the lock " + std::string(demo::lock_path) + " on " + options.connect
                                  : "without a lock")
            << "\n\n";
  const demo::shared_counter counter(options.directory / "counter");
  counter.create();
  demo::meeting_point::create(options.directory / "meeting");
  std::cout.flush();
  workers crew(options);
  std::string line;
  for (long ready = 0; ready < options.workers; ++ready) {
    if (!crew.next(line) || line != "ready") return false;  // a worker has said why
  }
  timeline shown(options.with_lock);
  crew.go();
  while (crew.next(line)) shown.add(line);
  const bool well = crew.wait();
  const bool right = conclude(options, counter.read());
  if (!shown.tokens_rise()) std::cout << "A fencing token was not greater than the one before it.\n";
  return well && right && shown.tokens_rise();
}

}  // namespace

int main(int argc, char** argv) try {
  demo::worker_options options = parse(std::span(argv, static_cast<std::size_t>(argc)).subspan(1));
  if (!options.label.empty()) return demo::work(options);
  std::string directory = (std::filesystem::temp_directory_path() / "zklock-demo-XXXXXX").string();
  if (::mkdtemp(directory.data()) == nullptr) throw std::system_error(errno, std::generic_category(), directory);
  options.directory = directory;
  const bool well = run(options);
  std::filesystem::remove_all(directory);
  return well ? EXIT_SUCCESS : EXIT_FAILURE;
} catch (const usage_error& error) {
  std::cerr << "counter_demo: " << error.what() << '\n';
  print_usage(std::cerr);
  return bad_usage;
} catch (const std::exception& error) {
  std::cerr << "counter_demo: " << error.what() << '\n';
  return EXIT_FAILURE;
}
