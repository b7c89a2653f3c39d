#include "tests/support/private_zookeeper.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "tests/support/four_letter_word.hpp"
#include "tests/support/proxy.hpp"

namespace zklock::test_support {

namespace {

/// A follower tries to reach its new leader for that long while the connection is refused, which a proxy cannot do.
constexpr std::chrono::milliseconds patience_of_a_learner{500};

constexpr auto script = ZKLOCK_SOURCE_DIR "/scripts/zookeeper";

std::string read_all(int from) {
  std::string text;
  std::array<char, 4096> chunk{};
  for (;;) {
    const ssize_t count = ::read(from, chunk.data(), chunk.size());
    if (count > 0) text.append(chunk.data(), static_cast<std::size_t>(count));
    if (count == 0 || (count < 0 && errno != EINTR)) return text;
  }
}

/// Starts the script with its output in a pipe. It gets no other file of ours: a server that inherited a client's
/// socket would keep that connection open when the client closes it.
pid_t spawn(const std::vector<std::string>& arguments, int output) {
  std::vector<char*> argv{const_cast<char*>(script)};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files{};
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&files, output, 1);
  ::posix_spawn_file_actions_adddup2(&files, output, 2);
  ::posix_spawn_file_actions_addclosefrom_np(&files, 3);
  pid_t pid = 0;
  const int error = ::posix_spawn(&pid, script, &files, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&files);
  if (error != 0) throw std::system_error(error, std::generic_category(), script);
  return pid;
}

/// What the script printed; throws with that text when it failed.
std::string run_script(const std::vector<std::string>& arguments) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe2");
  const pid_t pid = spawn(arguments, ends[1]);
  ::close(ends[1]);
  std::string output = read_all(ends[0]);
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
  if (status != 0) throw std::runtime_error("scripts/zookeeper " + arguments.front() + ": " + output);
  return output;
}

std::string connect_string_in(std::string_view output) {
  constexpr std::string_view key = "ZKLOCK_CONNECT=";
  const std::size_t found = output.find(key);
  if (found == std::string_view::npos) throw std::runtime_error("no ZKLOCK_CONNECT in: " + std::string(output));
  output.remove_prefix(found + key.size());
  return std::string(output.substr(0, output.find('\n')));
}

std::filesystem::path new_directory() {
  std::string name = (std::filesystem::temp_directory_path() / "zklock-test-zookeeper-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::system_error(errno, std::generic_category(), name);
  return name;
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Gone, or a zombie that another process has to reap.
bool ended(pid_t pid) {
  const std::string stat = text_of("/proc/" + std::to_string(pid) + "/stat");
  const std::size_t name_end = stat.rfind(") ");
  return name_end == std::string::npos || stat.at(name_end + 2) == 'Z';
}

void signal(pid_t pid, int number) {
  if (::kill(pid, number) != 0) throw std::system_error(errno, std::generic_category(), "kill ZooKeeper");
}

std::string number_of(std::size_t server) { return std::to_string(server + 1); }  // the script counts from 1

/// A signal is sent before it is heeded: on a busy machine a thread may still answer a request.
bool every_thread_stands_still(pid_t pid) {
  for (const auto& task : std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task")) {
    std::ifstream file(task.path() / "stat");
    std::string line;
    std::getline(file, line);
    const std::size_t state = line.rfind(')') + 2;
    if (state < line.size() && line[state] != 'T' && line[state] != 'Z') {
      return false;
    }
  }
  return true;
}

}  // namespace

private_zookeeper::private_zookeeper(const zookeeper_options& options)
    : owner_(::getpid()),
      usual_timeouts_{options.tick_time, std::chrono::minutes{1}},  // as scripts/zookeeper writes
      directory_(new_directory()) {
  std::vector<std::string> arguments{"start",
                                     "--dir",
                                     directory_.string(),
                                     "--servers",
                                     std::to_string(options.servers),
                                     "--port-base",
                                     "free",
                                     "--tick-time",
                                     std::to_string(options.tick_time.count()),
                                     "--sync-limit",
                                     std::to_string(options.sync_limit),
                                     "--owner",
                                     std::to_string(owner_)};
  if (options.reaper_interval) {
    arguments.insert(arguments.end(), {"--reaper-interval", std::to_string(options.reaper_interval->count())});
  }
  const bool configures = options.quorum_links || !options.configuration.empty();
  if (configures) arguments.emplace_back("--configure-only");
  try {
    connect_string_ = connect_string_in(run_script(arguments));
    ports_ = ports_of(connect_string_);
    if (options.quorum_links) put_quorum_links_between();
    configure(options.configuration);
    if (configures) {
      run_script({"start", "--dir", directory_.string()});
    }
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
    throw;
  }
}

/// Each server reads in its own configuration where the others are: there the proxies' ports take the place of theirs.
void private_zookeeper::put_quorum_links_between() {
  const std::regex line(R"(server\.(\d)=127\.0\.0\.1:(\d+):(\d+))");
  for (std::size_t from = 0; from < size(); ++from) {
    const std::filesystem::path file = directory_ / number_of(from) / "zoo.cfg";
    std::istringstream before(text_of(file));
    std::ofstream after(file, std::ios::trunc);
    for (std::string text; std::getline(before, text);) {
      std::smatch found;
      if (std::regex_match(text, found, line) && found[1] != number_of(from)) {
        const std::size_t to = std::stoul(found[1]) - 1;
        const auto port = static_cast<std::uint16_t>(std::stoul(found[2]));
        auto& link = quorum_links_[{from, to}] = std::make_unique<proxy>(port, proxy::protocol::bytes);
        link->set_patience(patience_of_a_learner);
        text = "server." + number_of(to) + "=" + link->address() + ":" + found[3].str();
      }
      after << text << "\n";
    }
  }
}

void private_zookeeper::configure(const std::vector<std::string>& lines) const {
  for (std::size_t server = 0; server < size(); ++server) {
    std::ofstream file(directory_ / number_of(server) / "zoo.cfg", std::ios::app);
    for (const std::string& line : lines) file << line << "\n";
  }
}

private_zookeeper::~private_zookeeper() {
  if (::getpid() != owner_) return;  // a fork()ed child that ends through exit()
  try {
    run_script({"stop", "--remove", "--dir", directory_.string()});
  } catch (const std::exception&) {
    // the guard will do it
  }
}

std::string private_zookeeper::address(std::size_t server) const {
  return "127.0.0.1:" + std::to_string(ports_.at(server));
}

pid_t private_zookeeper::pid(std::size_t server) const {
  pid_t pid = 0;
  std::ifstream(directory_ / number_of(server) / "pid") >> pid;
  if (pid <= 0) throw std::runtime_error("server " + number_of(server) + " does not run");
  return pid;
}

std::optional<std::size_t> private_zookeeper::leader() const {
  for (std::size_t server = 0; server < size(); ++server) {
    const std::string answer = ask("srvr", server);
    if (answer.find("Mode: leader") != std::string::npos || answer.find("Mode: standalone") != std::string::npos) {
      return server;
    }
  }
  return std::nullopt;
}

void private_zookeeper::stop(std::size_t server) {
  const pid_t victim = pid(server);
  if (ended(victim)) {
    const std::string log = text_of(directory_ / number_of(server) / "log");
    throw std::runtime_error("server " + number_of(server) + " has ended by itself; its log ends with\n" +
                             log.substr(log.size() - std::min<std::size_t>(log.size(), 3000)));
  }
  signal(victim, SIGSTOP);
  while (!every_thread_stands_still(victim)) std::this_thread::sleep_for(std::chrono::milliseconds{1});
}

void private_zookeeper::cont(std::size_t server) { signal(pid(server), SIGCONT); }

void private_zookeeper::kill(std::size_t server) {
  const pid_t victim = pid(server);
  if (!ended(victim)) signal(victim, SIGKILL);  // a test may have killed it by its pid
  while (!ended(victim)) std::this_thread::sleep_for(std::chrono::milliseconds{1});
  std::filesystem::remove(directory_ / number_of(server) / "pid");
}

void private_zookeeper::restart(std::size_t server, bool wait_until_serving) {
  if (std::filesystem::exists(directory_ / number_of(server) / "pid")) kill(server);
  std::vector<std::string> arguments{"start", "--dir", directory_.string(), "--server", number_of(server)};
  if (!wait_until_serving) arguments.emplace_back("--no-wait");
  run_script(arguments);
}

void private_zookeeper::set_session_timeouts(std::optional<timeout_bounds> bounds, std::size_t server) {
  const timeout_bounds now = bounds.value_or(usual_timeouts_);
  const std::filesystem::path file = directory_ / number_of(server) / "zoo.cfg";
  std::string text = text_of(file);
  text = std::regex_replace(text, std::regex("minSession.*"), "minSessionTimeout=" + std::to_string(now.least.count()));
  text = std::regex_replace(text, std::regex("maxSession.*"), "maxSessionTimeout=" + std::to_string(now.most.count()));
  std::ofstream(file, std::ios::trunc) << text;
}

proxy& private_zookeeper::quorum_link(std::size_t follower, std::size_t leader) {
  return *quorum_links_.at({follower, leader});
}

std::string private_zookeeper::ask(std::string_view word, std::size_t server) const {
  return ask_server(ports_.at(server), word);
}

const std::string& shared_zookeeper() {
  static std::unique_ptr<private_zookeeper> own;
  static const std::string address = [] {
    const char* given = std::getenv("ZKLOCK_TEST_ZOOKEEPER");
    if (given != nullptr && given[0] == '/') return connect_string_in(run_script({"status", "--dir", given}));
    if (given != nullptr && given[0] != '\0') return std::string(given);
    own = std::make_unique<private_zookeeper>();
    return own->connect_string();
  }();
  return address;
}

std::vector<std::uint16_t> ports_of(std::string_view connect_string) {
  std::vector<std::uint16_t> ports;
  while (!connect_string.empty()) {
    const std::string_view address = connect_string.substr(0, connect_string.find(','));
    connect_string.remove_prefix(std::min(connect_string.size(), address.size() + 1));
    const std::size_t colon = address.rfind(':');
    std::uint16_t port = 0;
    const char* end = address.data() + address.size();
    if (colon == std::string_view::npos || std::from_chars(address.data() + colon + 1, end, port).ptr != end) {
      throw std::invalid_argument("not an address with a port: " + std::string(address));
    }
    ports.push_back(port);
  }
  return ports;
}

}  // namespace zklock::test_support
