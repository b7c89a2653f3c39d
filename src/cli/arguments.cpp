#include "src/cli/arguments.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include <zklock/options.hpp>

#include "src/cli/duration.hpp"

namespace zklock::cli {
namespace {

constexpr const char* servers_default = "127.0.0.1:2181";
constexpr std::chrono::milliseconds session_timeout_min{100};
constexpr std::chrono::milliseconds session_timeout_max = std::chrono::hours(1);

constexpr const char* about = "Locks among all processes that use the same ZooKeeper.";

constexpr const char* about_run =
    "Runs COMMAND while holding the mutex at PATH, and releases it when COMMAND has ended.";

constexpr const char* about_ls = "Lists who holds the mutex at PATH and who waits for it, first come first.";

constexpr const char* details = R"(A DURATION is a whole number and a unit: 500ms, 5s, 2m, 1h.

A server that does not answer is given up for the next one after two thirds of the session timeout. Without
--timeout, and with 0, zklock waits for ZooKeeper until it has tried each server: 1s with one server; with two
or three 1s more than twice that time (14.3s), whether they are down or silent.

COMMAND finds in its environment:
  ZKLOCK_PATH   PATH
  ZKLOCK_NODE   the node that holds the lock
  ZKLOCK_TOKEN  the fencing token: greater for every later holder. Let the store that COMMAND writes to
                refuse whoever comes with a smaller one than it has seen.

When the lock is lost, COMMAND and all that it has started get SIGTERM at once, and SIGKILL after --kill-after. A
second process, lock-guardian, sees to that also when zklock itself is killed or stopped.

The lock is released when COMMAND and all that it has started have ended, daemons too.

SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGTSTP and SIGCONT are passed on to COMMAND; while zklock waits
for the lock they do to it what they do to any program. COMMAND has the terminal while it runs. A zklock that is stopped
(Ctrl-Z) keeps the lock for no longer than the session timeout; then COMMAND is ended.)";

constexpr const char* exit_statuses = R"(Exit status:
  COMMAND's own, or
  64    bad usage: an option, PATH, a duration or the server list
  69    ZooKeeper not in reach in time (see --timeout), or an error from it
  70    the command itself could not do its work (no memory, no process ...)
  75    the lock was not granted within --timeout
  79    the lock was lost while COMMAND ran
  126   COMMAND is not executable
  127   COMMAND was not found
  128+n COMMAND was ended by signal n, or the wait for the lock was)";

constexpr const char* details_of_ls = R"(One line each, in this order:
  POSITION  in the queue; 0 is the first
  STANDING  held or waiting. The first is shown as the holder, although it may not know yet, or be dead until
            its session ends: what is shown has been so when the servers were asked
  KIND      mutex
  NODE      its node
  TOKEN     its fencing token
  HOST, PID, LABEL, SINCE
            what it says of itself, "-" if it does not. Other libraries' participants have at most a LABEL: their
            node's data. What a terminal cannot show is written as \xNN, byte by byte; ... ends what was cut.

--json prints an array of objects with the keys position, standing, kind, node, token, host, pid, label and since, in
ASCII, null for what is not known; bytes that are no UTF-8 become U+FFFD. Nobody there: nothing, or [].

Exit status:
  0     listed, though nobody may be there
  64    bad usage: an option, PATH, a duration or the server list
  69    ZooKeeper not in reach in time (see --timeout), or an error from it
  70    the command itself could not do its work (no memory, stdout closed ...)

Examples:
  zklock ls /locks/nightly
  zklock ls --json /locks/nightly | jq -r '.[] | select(.standing == "held") | .host')";

constexpr const char* examples = R"(Examples:
  zklock run /locks/nightly -- ./backup --full
  zklock run --timeout 0 /locks/nightly -- ./backup     # not if another one is at it
  zklock --connect zk1:2181,zk2:2181,zk3:2181/app run --timeout 30s /deploy -- sh -c 'make && make deploy')";

/// CLI11's own usage line knows nothing of "--".
class formatter final : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* app, std::string) const override {
    if (app->get_name() == "ls") {
      return "\nUsage: zklock [--connect SERVERS] ls [OPTIONS] PATH\n";
    }
    if (app->get_parent() != nullptr) {
      return "\nUsage: zklock [--connect SERVERS] run [OPTIONS] PATH -- COMMAND [ARG...]\n";
    }
    return "\nUsage: zklock [--connect SERVERS] [--verbose] run [OPTIONS] PATH -- COMMAND [ARG...]\n"
           "       zklock [--connect SERVERS] [--verbose] ls [--json] PATH\n"
           "       zklock run --help, zklock ls --help\n";
  }
};

/// The options as they were typed.
struct raw_arguments {
  std::string connect;
  std::string path;
  std::string timeout;
  std::string session_timeout = to_text(session_options{}.timeout);
  std::string kill_after;
  std::string label;
  bool verbose = false;
  std::string listed_path;
  std::string listing_timeout;
  bool json = false;
};

struct grammar {
  raw_arguments raw;
  CLI::App app{about, "zklock"};
  CLI::App* run = nullptr;
  CLI::Option* connect = nullptr;
  CLI::Option* timeout = nullptr;
  CLI::App* ls = nullptr;
  CLI::Option* listing_timeout = nullptr;
  CLI::Option* kill_after = nullptr;

  grammar() {
    const auto formatted = std::make_shared<formatter>();
    formatted->column_width(30);
    app.formatter(formatted);
    app.set_help_flag("-h,--help", "Print this and exit");
    app.set_version_flag("--version", "zklock " ZKLOCK_VERSION, "Print the version and exit");
    app.require_subcommand(1);
    connect = app.add_option("--connect", raw.connect,
                             "The servers, host:port[,host:port...][/chroot]\n"
                             "(default: $ZKLOCK_CONNECT, then " +
                                 std::string(servers_default) + ")");
    connect->type_name("SERVERS");
    app.add_flag("-v,--verbose", raw.verbose, "Log to stderr what the library and the ZooKeeper client do");
    app.footer(std::string(exit_statuses) + "\n\n" + examples);

    run = app.add_subcommand("run", "Run a command while holding a lock");
    run->description(about_run);
    run->fallthrough();
    run->add_option("PATH", raw.path, "The lock: a ZooKeeper path; made when it is not there")
        ->required()
        ->type_name("");
    timeout = run->add_option("--timeout", raw.timeout,
                              "Give up after so long, connecting included; 0: one try\n"
                              "(default: try each server, then wait for ever)");
    timeout->type_name("DURATION");
    run->add_option("--session-timeout", raw.session_timeout,
                    "When this machine dies, others get the lock after so long;\n"
                    "outages shorter than that do not cost it (default: " +
                        raw.session_timeout + ")")
        ->type_name("DURATION");
    kill_after = run->add_option("--kill-after", raw.kill_after,
                                 "When the lock is lost, SIGKILL comes so long after SIGTERM\n"
                                 "(default: an eighth of the session timeout, so that COMMAND is gone\n"
                                 "before others can get the lock; with a longer one both may run)");
    kill_after->type_name("DURATION");
    run->add_option("--label", raw.label, "For people who look at who holds the lock")->type_name("TEXT");
    run->footer(std::string(details) + "\n\n" + exit_statuses + "\n\n" + examples);
    add_ls();
  }

  void add_ls() {
    ls = app.add_subcommand("ls", "List who holds a lock and who waits for it");
    ls->description(about_ls);
    ls->fallthrough();
    ls->add_option("PATH", raw.listed_path, "The lock: a ZooKeeper path")->required()->type_name("");
    ls->add_flag("--json", raw.json, "For programs: print JSON");
    listing_timeout = ls->add_option("--timeout", raw.listing_timeout,
                                     "Give up after so long, connecting included\n"
                                     "(default: try each server, 1s with one, 5s with two\n"
                                     "or three, 9s with five; then 10s)");
    listing_timeout->type_name("DURATION");
    ls->footer(details_of_ls);
  }
};

std::chrono::milliseconds duration_of(const char* option, const std::string& text) {
  try {
    return parse_duration(text);
  } catch (const std::invalid_argument& refused) {
    throw usage_error(std::string(option) + " " + refused.what());
  }
}

std::chrono::milliseconds session_timeout_of(const std::string& text) {
  const std::chrono::milliseconds value = duration_of("--session-timeout", text);
  if (value < session_timeout_min || value > session_timeout_max) {
    throw usage_error("--session-timeout \"" + text + "\" is not between " + to_text(session_timeout_min) + " and " +
                      to_text(session_timeout_max));
  }
  return value;
}

ls_arguments ls_arguments_of(const grammar& parsed, std::string servers) {
  ls_arguments wanted;
  wanted.servers = std::move(servers);
  wanted.path = parsed.raw.listed_path;
  if (parsed.listing_timeout->count() > 0) {
    wanted.timeout = duration_of("--timeout", parsed.raw.listing_timeout);
    if (wanted.timeout->count() == 0) {
      throw usage_error("--timeout \"" + parsed.raw.listing_timeout + "\" leaves no time to ask");
    }
  }
  wanted.json = parsed.raw.json;
  wanted.verbose = parsed.raw.verbose;
  return wanted;
}

/// CLI11 takes the next argument for the value of "--label=".
std::vector<std::string> without_empty_assignments(std::span<const std::string> arguments) {
  std::vector<std::string> result;
  for (const std::string& one : arguments) {
    const bool assigns_nothing = one.starts_with("--") && one.find('=') == one.size() - 1;
    result.push_back(assigns_nothing ? one.substr(0, one.size() - 1) : one);
    if (assigns_nothing) {
      result.emplace_back();
    }
  }
  return result;
}

/// CLI11 gives them in an order of its own.
std::string first_of(const std::vector<std::string>& unexpected, const std::vector<std::string>& as_typed) {
  const auto first = std::ranges::find_if(as_typed, [&unexpected](const std::string& one) {
    return std::ranges::find(unexpected, one) != unexpected.end();
  });
  return first == as_typed.end() ? unexpected.front() : *first;
}

void parse_own(grammar& parsed, const std::vector<std::string>& own, bool has_command) {
  try {
    parsed.app.parse(std::vector<std::string>(own.rbegin(), own.rend()));  // it takes them from the back
  } catch (const CLI::Success&) {
    throw;
  } catch (const CLI::ParseError& refused) {
    const std::vector<std::string> unexpected = parsed.app.remaining(true);
    if (unexpected.empty()) {
      throw usage_error(refused.what());
    }
    const bool forgotten = !has_command && parsed.run->parsed();
    throw usage_error("\"" + first_of(unexpected, own) + "\" was not expected" +
                      (forgotten ? "; COMMAND goes behind --" : ""));
  }
}

std::string servers_of(const grammar& parsed, const char* from_environment) {
  if (parsed.connect->count() > 0) {
    return parsed.raw.connect;
  }
  return from_environment != nullptr && *from_environment != '\0' ? from_environment : servers_default;
}

}  // namespace

invocation parse(std::span<const std::string> arguments, const char* connect_from_environment) {
  // Split here: what stands behind "--" is the child's, to the letter.
  const auto separator = std::find(arguments.begin(), arguments.end(), "--");
  const bool has_command = separator != arguments.end();
  grammar parsed;
  try {
    parse_own(parsed, without_empty_assignments({arguments.begin(), separator}), has_command);
  } catch (const CLI::CallForHelp&) {
    return text_wanted{parsed.app.help()};  // of the subcommand, when that was given
  } catch (const CLI::CallForVersion& version) {
    return text_wanted{std::string(version.what()) + "\n"};
  }

  if (parsed.ls->parsed()) {
    if (has_command) {
      throw usage_error("\"--\" was not expected: ls runs no COMMAND");
    }
    return ls_arguments_of(parsed, servers_of(parsed, connect_from_environment));
  }
  run_arguments wanted;
  wanted.servers = servers_of(parsed, connect_from_environment);
  wanted.path = parsed.raw.path;
  if (parsed.timeout->count() > 0) {
    wanted.timeout = duration_of("--timeout", parsed.raw.timeout);
  }
  wanted.session_timeout = session_timeout_of(parsed.raw.session_timeout);
  if (parsed.kill_after->count() > 0) {
    wanted.kill_after = duration_of("--kill-after", parsed.raw.kill_after);
  }
  wanted.label = parsed.raw.label;
  wanted.verbose = parsed.raw.verbose;
  if (!has_command || separator + 1 == arguments.end()) {
    throw usage_error("no COMMAND behind --");
  }
  wanted.command.assign(separator + 1, arguments.end());
  return wanted;
}

}  // namespace zklock::cli
