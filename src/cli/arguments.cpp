#include "src/cli/arguments.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string_view>

#include <zklock/options.hpp>
#include <zklock/version.hpp>

#include "src/cli/duration.hpp"
#include "src/cli/help_text.hpp"

namespace zklock::cli {
namespace {

constexpr const char* servers_default = "127.0.0.1:2181";
constexpr std::chrono::milliseconds session_timeout_min{100};
constexpr std::chrono::milliseconds session_timeout_max = std::chrono::hours(1);

/// CLI11's own usage line knows nothing of "--".
class formatter final : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* app, std::string) const override {
    if (app->get_name() == "ls") {
      return "\nUsage: zklock [--connect SERVERS] ls [OPTIONS] PATH\n";
    }
    if (app->get_parent() != nullptr) {
      return "\nUsage: zklock [--connect SERVERS] run [OPTIONS] PATH... -- COMMAND [ARG...]\n";
    }
    return "\nUsage: zklock [--connect SERVERS] [--verbose] run [OPTIONS] PATH... -- COMMAND [ARG...]\n"
           "       zklock [--connect SERVERS] [--verbose] ls [--recursive] [--json] PATH\n"
           "       zklock run --help, zklock ls --help\n";
  }
};

/// The options as they were typed.
struct raw_arguments {
  std::string connect;
  std::vector<std::string> paths;
  bool shared = false;
  bool exclusive = false;
  std::string semaphore;
  std::string permits;
  std::string layout;
  std::string timeout;
  std::string session_timeout = to_text(session_options{}.timeout);
  std::string kill_after;
  std::string label;
  bool verbose = false;
  std::string listed_path;
  std::string ls_timeout;
  bool json = false;
};

struct grammar {
  raw_arguments raw;
  CLI::App app{help_text::about, "zklock"};
  CLI::App* run = nullptr;
  CLI::Option* connect = nullptr;
  CLI::Option* semaphore = nullptr;
  CLI::Option* permits = nullptr;
  CLI::Option* layout = nullptr;
  CLI::Option* timeout = nullptr;
  CLI::App* ls = nullptr;
  CLI::Option* ls_timeout = nullptr;
  CLI::Option* kill_after = nullptr;

  grammar() {
    const auto formatted = std::make_shared<formatter>();
    formatted->column_width(30);
    app.formatter(formatted);
    app.set_help_flag("-h,--help", "Print this and exit");
    app.set_version_flag("--version", "zklock " ZKLOCK_VERSION_STRING, "Print the version and exit");
    app.require_subcommand(1);
    connect = app.add_option("--connect", raw.connect,
                             "The servers, host[:port][,host[:port]...][/chroot]\n"
                             "(default: $ZKLOCK_CONNECT, then " +
                                 std::string(servers_default) + ")");
    connect->type_name("SERVERS");
    app.add_flag("-v,--verbose", raw.verbose, "Log to stderr what the library and the ZooKeeper client do");
    app.footer(std::string(help_text::exit_statuses) + "\n\n" + help_text::examples);
    add_run();
    add_ls();
  }

  void add_run() {
    run = app.add_subcommand("run", "Run a command while holding a lock");
    run->description(help_text::about_run);
    run->fallthrough();
    run->add_option("PATH", raw.paths,
                    "The lock: a ZooKeeper path; made when it is not there.\n"
                    "Several: all of them are held, or none")
        ->required()
        ->type_name("");
    add_kinds();
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
                                 "(default: three quarters of the margin, so that COMMAND is gone\n"
                                 "before others can get the lock; with a longer one both may run)");
    kill_after->type_name("DURATION");
    run->add_option("--label", raw.label, "For operators that look at the lock's holders")->type_name("TEXT");
    run->footer(std::string(help_text::details_of_run) + "\n\n" + help_text::exit_statuses + "\n\n" +
                help_text::examples);
  }

  /// Of all PATHs.
  void add_kinds() {
    run->add_flag("--shared", raw.shared,
                  "Read: together with others that do, never beside one that holds\n"
                  "it with --exclusive");
    run->add_flag("--exclusive", raw.exclusive, "Write: alone (the other side of --shared)");
    semaphore = run->add_option("--semaphore", raw.semaphore,
                                "Together with others, as long as PATH's LIMIT permits last.\n"
                                "All have to give the same LIMIT, 1 to 1000000");
    semaphore->type_name("LIMIT");
    permits = run->add_option("--permits", raw.permits, "With --semaphore: take so many permits (default: 1)");
    permits->type_name("N");
    layout = run->add_option("--layout", raw.layout,
                             "native, or curator: exclude, and be excluded by, Java programs that\n"
                             "use Apache Curator's locks at PATH (default: native)");
    layout->type_name("NAME");
  }

  void add_ls() {
    ls = app.add_subcommand("ls", "List the holders and the waiters of a lock");
    ls->description(help_text::about_ls);
    ls->fallthrough();
    ls->add_option("PATH", raw.listed_path, "The lock: a ZooKeeper path")->required()->type_name("");
    ls->add_flag("--recursive")->description("All locks at PATH and below it; PATH may be /");
    ls->add_flag("--json", raw.json, "For programs: print JSON");
    ls_timeout = ls->add_option("--timeout", raw.ls_timeout,
                                "Give up after so long, connecting included\n"
                                "(default: try each server, 1s with one, 5s with two\n"
                                "or three, 9s with five; then 10s)");
    ls_timeout->type_name("DURATION");
    ls->footer(help_text::details_of_ls);
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
  if (parsed.ls_timeout->count() > 0) {
    wanted.timeout = duration_of("--timeout", parsed.raw.ls_timeout);
    if (wanted.timeout->count() == 0) {
      throw usage_error("--timeout \"" + parsed.raw.ls_timeout + "\" leaves no time to ask");
    }
  }
  wanted.recursive = parsed.ls->count("--recursive") > 0;
  wanted.json = parsed.raw.json;
  wanted.verbose = parsed.raw.verbose;
  return wanted;
}

/// A word among the PATHs that cannot be one may well be COMMAND's.
void refuse_forgotten_separator(const std::vector<std::string>& paths) {
  const auto word = std::find_if(paths.begin() + 1, paths.end(), [](const auto& one) { return !one.starts_with('/'); });
  if (word != paths.end()) {
    throw usage_error("\"" + *word + "\" was not expected; COMMAND goes behind --");
  }
}

/// CLI11 takes "[/a,/b]" apart where several values may stand, and "[]" for none.
void refuse_lists(const grammar& parsed, const std::vector<std::string>& as_typed) {
  const auto list = std::ranges::find_if(as_typed, [&parsed](const std::string& one) {
    const bool is_value = one == parsed.raw.label || one == parsed.raw.connect || one == parsed.raw.layout;
    return one.starts_with('[') && one.ends_with(']') && !is_value;
  });
  if (list != as_typed.end()) {
    throw usage_error("\"" + *list + "\" is no PATH");
  }
}

void refuse_duplicates(const std::vector<std::string>& paths) {
  for (auto one = paths.begin(); one != paths.end(); ++one) {
    if (std::find(paths.begin(), one, *one) != one) {
      throw usage_error("PATH \"" + *one + "\" is given twice");
    }
  }
}

lock_kind kind_of(const grammar& parsed) {
  kind_options given{.shared = parsed.raw.shared, .exclusive = parsed.raw.exclusive};
  if (parsed.semaphore->count() > 0) {
    given.semaphore = parsed.raw.semaphore;
  }
  if (parsed.permits->count() > 0) {
    given.permits = parsed.raw.permits;
  }
  if (parsed.layout->count() > 0) {
    given.layout = parsed.raw.layout;
  }
  return kind_of(given);
}

run_arguments run_arguments_of(const grammar& parsed, std::string servers) {
  run_arguments wanted;
  wanted.servers = std::move(servers);
  wanted.paths = parsed.raw.paths;
  refuse_duplicates(wanted.paths);
  wanted.kind = kind_of(parsed);
  if (parsed.timeout->count() > 0) {
    wanted.timeout = duration_of("--timeout", parsed.raw.timeout);
  }
  wanted.session_timeout = session_timeout_of(parsed.raw.session_timeout);
  if (parsed.kill_after->count() > 0) {
    wanted.kill_after = duration_of("--kill-after", parsed.raw.kill_after);
  }
  wanted.label = parsed.raw.label;
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
  const std::vector<std::string> own = without_empty_assignments({arguments.begin(), separator});
  grammar parsed;
  try {
    parse_own(parsed, own, has_command);
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
  refuse_lists(parsed, own);
  if (!has_command) {
    refuse_forgotten_separator(parsed.raw.paths);
  }
  run_arguments wanted = run_arguments_of(parsed, servers_of(parsed, connect_from_environment));
  if (!has_command || separator + 1 == arguments.end()) {
    throw usage_error("no COMMAND behind --");
  }
  wanted.command.assign(separator + 1, arguments.end());
  return wanted;
}

std::string run_arguments::names() const {
  std::string all;
  for (const std::string& path : paths) {
    all += (all.empty() ? "" : ", ") + path;
  }
  return all;
}

}  // namespace zklock::cli
