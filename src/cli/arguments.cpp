#include "src/cli/arguments.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstring>
#include <memory>
#include <string_view>
#include <type_traits>

#include <zklock/options.hpp>
#include <zklock/version.hpp>

#include "src/cli/duration.hpp"
#include "src/cli/help_text.hpp"
#include "src/cli/nearest_word.hpp"

namespace zklock::cli {
namespace {

constexpr std::chrono::milliseconds session_timeout_min{100};
constexpr std::chrono::milliseconds session_timeout_max = std::chrono::hours(1);

/// CLI11's own usage line knows nothing of "--".
class formatter final : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* app, std::string) const override {
    if (app->get_name() == "ls") {
      return "Usage: zklock [--connect SERVERS] ls [OPTIONS] PATH\n";
    }
    if (app->get_name() == "watch") {
      return "Usage: zklock [--connect SERVERS] watch [--json] PATH\n";
    }
    if (app->get_name() == "doctor") {
      return "Usage: zklock [--connect SERVERS] doctor [OPTIONS] PATH...\n";
    }
    if (app->get_name() == "evict") {
      return "Usage: zklock [--connect SERVERS] evict [--yes] NODE\n";
    }
    if (app->get_name() == "revoke") {
      return "Usage: zklock [--connect SERVERS] revoke [--replace-data] NODE\n";
    }
    if (app->get_name() == "elect") {
      return "Usage: zklock [--connect SERVERS] elect [OPTIONS] PATH -- COMMAND [ARG...]\n"
             "       zklock [--connect SERVERS] elect --observe [--json] PATH\n";
    }
    if (app->get_parent() != nullptr) {
      return "Usage: zklock [--connect SERVERS] run [OPTIONS] PATH... -- COMMAND [ARG...]\n";
    }
    return "Usage: zklock [OPTIONS] run [OPTIONS] PATH... -- COMMAND [ARG...]\n"
           "       zklock [OPTIONS] elect [OPTIONS] PATH -- COMMAND [ARG...]\n"
           "       zklock [OPTIONS] ls | watch | doctor | evict | revoke ...\n"
           "       zklock run --help, and so with each\n";
  }
};

/// The options as they were typed.
struct raw_arguments {
  std::string connect;
  std::string auth_file;
  std::string acl;
  std::vector<std::string> paths;
  bool shared = false;
  bool exclusive = false;
  std::string semaphore;
  std::string permits;
  std::string layout;
  std::string timeout;
  std::string session_timeout = to_text(session_options{}.timeout);
  std::string kill_after;
  std::string max_hold;
  std::string label;
  std::string metrics;
  std::string exit_status;
  std::string on_revoke;
  std::string data;
  bool latch = false;
  bool again = false;
  bool yes = false;
  bool replace_data = false;
  bool verbose = false;
  bool json = false;
  bool whole = false;
};

struct grammar {
  raw_arguments raw;
  CLI::App app{help_text::about, "zklock"};
  CLI::App* run = nullptr;
  CLI::Option* connect = nullptr;
  CLI::Option* auth_file = nullptr;
  CLI::Option* acl = nullptr;
  CLI::Option* elect_acl = nullptr;
  CLI::Option* semaphore = nullptr;
  CLI::Option* permits = nullptr;
  CLI::Option* layout = nullptr;
  CLI::Option* run_exit_status = nullptr;
  CLI::Option* on_revoke = nullptr;
  CLI::Option* timeout = nullptr;
  CLI::App* ls = nullptr;
  CLI::Option* ls_timeout = nullptr;
  CLI::Option* recursive = nullptr;
  CLI::App* watch = nullptr;
  CLI::App* doctor = nullptr;
  CLI::Option* doctor_timeout = nullptr;
  CLI::App* evict = nullptr;
  CLI::App* revoke = nullptr;
  CLI::App* elect = nullptr;
  CLI::Option* observe = nullptr;
  CLI::Option* kill_after = nullptr;
  CLI::Option* max_hold = nullptr;
  CLI::Option* elect_kill_after = nullptr;
  CLI::Option* elect_max_hold = nullptr;

  grammar() {
    const auto formatted = std::make_shared<formatter>();
    formatted->column_width(32);
    app.formatter(formatted);
    app.set_help_flag("-h,--help", "Print this and exit");
    app.set_version_flag("-V,--version", "zklock " ZKLOCK_VERSION_STRING, "Print the version and exit");
    app.require_subcommand(1);
    connect = add(app, help_text::options_of_all(), "--connect", raw.connect);
    auth_file = add(app, help_text::options_of_all(), "--auth-file", raw.auth_file);
    add(app, help_text::options_of_all(), "-v,--verbose", raw.verbose);
    app.footer(help_text::footer);
    add_run();
    add_ls();
    add_watch();
    add_doctor();
    add_evict();
    add_revoke();
    add_elect();
  }

  void add_run() {
    run = app.add_subcommand("run", "Run a command while holding a lock");
    run->description(help_text::about_run);
    run->fallthrough();
    const auto texts = help_text::options_of_run();
    add(*run, texts, "PATH", raw.paths)->required()->type_name("");
    add(*run, texts, "--shared", raw.shared);
    add(*run, texts, "--exclusive", raw.exclusive);
    semaphore = add(*run, texts, "--semaphore", raw.semaphore);
    permits = add(*run, texts, "--permits", raw.permits);
    layout = add(*run, texts, "--layout", raw.layout);
    acl = add(*run, texts, "--acl", raw.acl);
    timeout = add(*run, texts, "--timeout", raw.timeout);
    add(*run, texts, "--session-timeout", raw.session_timeout);
    kill_after = add(*run, texts, "--kill-after", raw.kill_after);
    max_hold = add(*run, texts, "--max-hold", raw.max_hold);
    on_revoke = add(*run, texts, "--on-revoke", raw.on_revoke);
    add(*run, texts, "--label", raw.label);
    add(*run, texts, "--metrics", raw.metrics);
    run_exit_status = add(*run, texts, "--exit-status", raw.exit_status);
    run->footer(help_text::footer_run);
  }

  void add_ls() {
    ls = app.add_subcommand("ls", "List the holders and the waiters of a lock");
    ls->description(help_text::about_ls);
    ls->fallthrough();
    const auto texts = help_text::options_of_ls();
    add_one_path(*ls, texts);
    add(*ls, texts, "-l,--long", raw.whole);
    recursive = add(*ls, texts, "-r,--recursive");
    add(*ls, texts, "--json", raw.json);
    ls_timeout = add(*ls, texts, "--timeout", raw.timeout);
    ls->footer(help_text::footer_ls);
  }

  void add_watch() {
    watch = app.add_subcommand("watch", "Show the holders and the waiters, live");
    watch->description(help_text::about_watch);
    watch->fallthrough();
    const auto texts = help_text::options_of_watch();
    add_one_path(*watch, texts);
    add(*watch, texts, "--json", raw.json);
    watch->footer(help_text::footer_watch);
  }

  void add_doctor() {
    doctor = app.add_subcommand("doctor", "Find what is wrong with locks");
    doctor->description(help_text::about_doctor);
    doctor->fallthrough();
    const auto texts = help_text::options_of_doctor();
    add(*doctor, texts, "PATH", raw.paths)->required()->type_name("");
    add(*doctor, texts, "--json", raw.json);
    doctor_timeout = add(*doctor, texts, "--timeout", raw.timeout);
    doctor->footer(help_text::footer_doctor);
  }

  void add_evict() {
    evict = app.add_subcommand("evict", "Remove the node of a holder or a waiter");
    evict->description(help_text::about_evict);
    evict->fallthrough();
    const auto texts = help_text::options_of_evict();
    add_one_path(*evict, texts, "NODE");
    add(*evict, texts, "--yes", raw.yes);
    evict->footer(help_text::footer_evict);
  }

  void add_revoke() {
    revoke = app.add_subcommand("revoke", "Ask a holder to let go");
    revoke->description(help_text::about_revoke);
    revoke->fallthrough();
    const auto texts = help_text::options_of_revoke();
    add_one_path(*revoke, texts, "NODE");
    add(*revoke, texts, "--replace-data", raw.replace_data);
    revoke->footer(help_text::footer_revoke);
  }

  void add_elect() {
    elect = app.add_subcommand("elect", "Run a command while leading, or show who leads");
    elect->description(help_text::about_elect);
    elect->fallthrough();
    const auto texts = help_text::options_of_elect();
    add_one_path(*elect, texts);
    add(*elect, texts, "--data", raw.data);
    add(*elect, texts, "--latch", raw.latch);
    add(*elect, texts, "--again", raw.again);
    elect_acl = add(*elect, texts, "--acl", raw.acl);
    add(*elect, texts, "--session-timeout", raw.session_timeout);
    elect_kill_after = add(*elect, texts, "--kill-after", raw.kill_after);
    elect_max_hold = add(*elect, texts, "--max-hold", raw.max_hold);
    add(*elect, texts, "--metrics", raw.metrics);
    observe = add(*elect, texts, "--observe");
    add(*elect, texts, "--json", raw.json);
    elect->footer(help_text::footer_elect);
  }

 private:
  using option_texts = std::span<const help_text::option_text>;

  /// Not any number, of which the help would say "PATH ...". One too many has a message of ours.
  void add_one_path(CLI::App& to, option_texts texts, std::string_view name = "PATH") {
    add(to, texts, name, raw.paths)->required()->type_name("")->expected(1, CLI::detail::expected_max_vector_size - 1);
  }

  static const help_text::option_text& text_of(option_texts texts, std::string_view names) {
    return *std::ranges::find_if(texts, [names](const auto& one) { return one.names == names; });
  }
  static CLI::Option* add(CLI::App& to, option_texts texts, std::string_view names) {
    const help_text::option_text& text = text_of(texts, names);
    return to.add_flag(text.names)->description(text.brief);
  }
  template <class Value>
  static CLI::Option* add(CLI::App& to, option_texts texts, std::string_view names, Value& value) {
    const help_text::option_text& text = text_of(texts, names);
    if constexpr (std::is_same_v<Value, bool>) {
      return to.add_flag(text.names, value, text.brief);
    } else {
      return to.add_option(text.names, value, text.brief)->type_name(text.value);
    }
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

std::string path_of(const grammar& parsed, const std::string& subcommand, const std::string& name = "PATH") {
  if (parsed.raw.paths.size() > 1) {
    throw usage_error("\"" + parsed.raw.paths[1] + "\" was not expected: " + subcommand + " takes one " + name);
  }
  return parsed.raw.paths.front();
}

/// Of what has to ask servers; nothing: it was not given.
std::optional<std::chrono::milliseconds> time_to_ask(const grammar& parsed, const CLI::Option& option) {
  if (option.count() == 0) {
    return std::nullopt;
  }
  const std::chrono::milliseconds value = duration_of("--timeout", parsed.raw.timeout);
  if (value.count() == 0) {
    throw usage_error("--timeout \"" + parsed.raw.timeout + "\" leaves no time to ask");
  }
  return value;
}

ls_arguments ls_arguments_of(const grammar& parsed, std::string servers) {
  ls_arguments wanted;
  wanted.servers = std::move(servers);
  wanted.path = path_of(parsed, "ls");
  wanted.timeout = time_to_ask(parsed, *parsed.ls_timeout);
  wanted.recursive = parsed.recursive->count() > 0;
  wanted.whole = parsed.raw.whole;
  wanted.json = parsed.raw.json;
  wanted.verbose = parsed.raw.verbose;
  return wanted;
}

watch_arguments watch_arguments_of(const grammar& parsed, std::string servers) {
  watch_arguments wanted;
  wanted.servers = std::move(servers);
  wanted.path = path_of(parsed, "watch");
  wanted.json = parsed.raw.json;
  wanted.verbose = parsed.raw.verbose;
  return wanted;
}

observe_arguments observe_arguments_of(const grammar& parsed, std::string servers) {
  observe_arguments wanted;
  wanted.servers = std::move(servers);
  wanted.path = path_of(parsed, "elect");
  for (const CLI::Option* const each : parsed.elect->get_options()) {
    const bool of_observing = each == parsed.observe || each->get_positional() || each->get_name() == "--json";
    if (each->count() > 0 && !of_observing) {
      throw usage_error(each->get_name() + " does not go with --observe");
    }
  }
  wanted.json = parsed.raw.json;
  wanted.verbose = parsed.raw.verbose;
  return wanted;
}

std::chrono::milliseconds max_hold_of(const grammar& parsed) {
  const std::chrono::milliseconds value = duration_of("--max-hold", parsed.raw.max_hold);
  if (value.count() == 0) {
    throw usage_error("--max-hold \"" + parsed.raw.max_hold + "\" leaves no time for COMMAND");
  }
  return value;
}

stand_arguments stand_arguments_of(const grammar& parsed, std::string servers) {
  stand_arguments wanted;
  wanted.servers = std::move(servers);
  wanted.path = path_of(parsed, "elect");
  if (parsed.raw.json) {
    throw usage_error("--json goes with --observe alone");
  }
  wanted.data = parsed.raw.data;
  wanted.latch = parsed.raw.latch;
  wanted.again = parsed.raw.again;
  wanted.metrics = parsed.raw.metrics;
  wanted.session_timeout = session_timeout_of(parsed.raw.session_timeout);
  if (parsed.elect_kill_after->count() > 0) {
    wanted.kill_after = duration_of("--kill-after", parsed.raw.kill_after);
  }
  if (parsed.elect_max_hold->count() > 0) {
    wanted.max_hold = max_hold_of(parsed);
  }
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
    const bool is_value = one == parsed.raw.label || one == parsed.raw.connect || one == parsed.raw.layout ||
                          one == parsed.raw.auth_file || one == parsed.raw.acl || one == parsed.raw.data ||
                          one == parsed.raw.metrics;
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

doctor_arguments doctor_arguments_of(const grammar& parsed, std::string servers) {
  doctor_arguments wanted;
  wanted.servers = std::move(servers);
  wanted.paths = parsed.raw.paths;
  refuse_duplicates(wanted.paths);
  wanted.timeout = time_to_ask(parsed, *parsed.doctor_timeout);
  wanted.json = parsed.raw.json;
  wanted.verbose = parsed.raw.verbose;
  return wanted;
}

evict_arguments evict_arguments_of(const grammar& parsed, std::string servers) {
  evict_arguments wanted;
  wanted.servers = std::move(servers);
  wanted.node = path_of(parsed, "evict", "NODE");
  wanted.yes = parsed.raw.yes;
  wanted.verbose = parsed.raw.verbose;
  return wanted;
}

revoke_arguments revoke_arguments_of(const grammar& parsed, std::string servers) {
  revoke_arguments wanted;
  wanted.servers = std::move(servers);
  wanted.node = path_of(parsed, "revoke", "NODE");
  wanted.replace_data = parsed.raw.replace_data;
  wanted.verbose = parsed.raw.verbose;
  return wanted;
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

/// As flock -E has it.
int status_of(const std::string& text) {
  constexpr int status_max = 255;
  int value = -1;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size() || value < 0 || value > status_max) {
    throw usage_error("--exit-status \"" + text + "\" is no number from 0 to 255");
  }
  return value;
}

/// As kill -s has it: TERM, SIGTERM or 15.
int signal_of(const std::string& text) {
  constexpr int signal_max = 31;
  const std::string_view name = std::string_view(text).substr(text.starts_with("SIG") ? 3 : 0);
  for (int number = 1; number <= signal_max; ++number) {
    const char* const abbreviation = sigabbrev_np(number);
    if (text == std::to_string(number) || (abbreviation != nullptr && name == abbreviation)) {
      return number;
    }
  }
  throw usage_error("--on-revoke \"" + text + "\" is no signal: as TERM, SIGTERM or 15");
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
  if (parsed.max_hold->count() > 0) {
    wanted.max_hold = max_hold_of(parsed);
  }
  if (parsed.on_revoke->count() > 0) {
    wanted.on_revoke = signal_of(parsed.raw.on_revoke);
  }
  wanted.label = parsed.raw.label;
  wanted.metrics = parsed.raw.metrics;
  if (parsed.run_exit_status->count() > 0) {
    wanted.status_not_in_time = status_of(parsed.raw.exit_status);
  }
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

/// Of the subcommand that was given, or of all.
std::vector<std::string> words_of(const grammar& parsed) {
  std::vector<std::string> words;
  const auto add_options_of = [&words](const CLI::App& app) {
    for (const CLI::Option* const option : app.get_options()) {
      for (const std::string& name : option->get_lnames()) {
        words.push_back("--" + name);
      }
    }
  };
  add_options_of(parsed.app);
  const std::vector<const CLI::App*> all = parsed.app.get_subcommands([](const CLI::App*) { return true; });
  for (const CLI::App* const subcommand : all) {
    if (subcommand->parsed()) {
      add_options_of(*subcommand);
      return words;
    }
  }
  for (const CLI::App* const subcommand : all) {
    words.push_back(subcommand->get_name());
  }
  return words;
}

std::string suggestion_for(const std::string& typed, const grammar& parsed) {
  const std::string word = typed.substr(0, typed.find('='));
  const std::string nearest = nearest_word(word, words_of(parsed));
  if (nearest == word) {  // it stands in the wrong place
    return "; it goes behind the subcommand";
  }
  return nearest.empty() ? "" : "; did you mean " + nearest + "?";
}

/// CLI11 takes --help before it looks at what else is there.
void refuse_help_on_no_subcommand(const std::vector<std::string>& own, const grammar& parsed) {
  if (own.empty() || own.front().starts_with('-')) {
    return;
  }
  const auto is_named = [&own](const CLI::App* subcommand) { return subcommand->get_name() == own.front(); };
  if (parsed.app.get_subcommands(is_named).empty()) {
    throw usage_error("\"" + own.front() + "\" was not expected" + suggestion_for(own.front(), parsed));
  }
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
    const bool forgotten = !has_command && (parsed.run->parsed() || parsed.elect->parsed());
    const std::string first = first_of(unexpected, own);
    const std::string suggestion = suggestion_for(first, parsed);
    throw usage_error(
        "\"" + first + "\" was not expected" + suggestion +
        (forgotten ? std::string(suggestion.ends_with('?') ? "" : ";").append(" COMMAND goes behind --") : ""));
  }
}

std::string value_of(const CLI::Option& option, const std::string& given, const char* from_environment,
                     const char* otherwise) {
  if (option.count() > 0) {
    return given;
  }
  return from_environment != nullptr && *from_environment != '\0' ? from_environment : otherwise;
}

access_arguments access_of(const grammar& parsed, const char* auth_file) {
  access_arguments access{value_of(*parsed.auth_file, parsed.raw.auth_file, auth_file, "")};
  if (parsed.auth_file->count() > 0 && access.auth_file.empty()) {
    throw usage_error("--auth-file \"\" names no file");
  }
  if (parsed.acl->count() + parsed.elect_acl->count() > 0) {
    if (parsed.raw.acl != "open" && parsed.raw.acl != "creator") {
      throw usage_error("--acl \"" + parsed.raw.acl + "\" is neither open nor creator");
    }
    access.for_creator_only = parsed.raw.acl == "creator";
  }
  if (access.for_creator_only && access.auth_file.empty()) {
    throw usage_error("--acl creator needs credentials: --auth-file FILE");
  }
  return access;
}

}  // namespace

invocation parse(std::span<const std::string> arguments, const environment_values& environment) {
  // Split here: what stands behind "--" is the child's, to the letter.
  const auto separator = std::find(arguments.begin(), arguments.end(), "--");
  const bool has_command = separator != arguments.end();
  std::vector<std::string> own = without_empty_assignments({arguments.begin(), separator});
  grammar parsed;
  if (!own.empty() && own.front() == "help") {
    own.erase(own.begin());
    refuse_help_on_no_subcommand(own, parsed);
    own.emplace_back("--help");
  }
  try {
    parse_own(parsed, own, has_command);
  } catch (const CLI::CallForHelp&) {
    return text_wanted{parsed.app.help()};  // of the subcommand, when that was given
  } catch (const CLI::CallForVersion& version) {
    return text_wanted{std::string(version.what()) + "\n"};
  }

  std::string servers = value_of(*parsed.connect, parsed.raw.connect, environment.connect, "");
  if (servers.empty() && parsed.connect->count() == 0) {  // a default would be another server on each host
    throw usage_error("no servers: --connect SERVERS, or ZKLOCK_CONNECT in the environment");
  }
  access_arguments access = access_of(parsed, environment.auth_file);
  refuse_lists(parsed, own);
  for (const CLI::App* const each : {parsed.ls, parsed.watch, parsed.doctor, parsed.evict, parsed.revoke}) {
    if (has_command && each->parsed()) {
      throw usage_error("\"--\" was not expected: " + each->get_name() + " runs no COMMAND");
    }
  }
  const bool no_command = !has_command || separator + 1 == arguments.end();
  if (parsed.elect->parsed() && parsed.observe->count() > 0) {
    if (has_command) {
      throw usage_error("\"--\" was not expected: elect --observe runs no COMMAND");
    }
    observe_arguments wanted = observe_arguments_of(parsed, std::move(servers));
    wanted.access = std::move(access);
    return wanted;
  }
  if (parsed.elect->parsed()) {
    if (!has_command) {
      refuse_forgotten_separator(parsed.raw.paths);
    }
    stand_arguments wanted = stand_arguments_of(parsed, std::move(servers));
    wanted.access = std::move(access);
    if (no_command) {
      throw usage_error("no COMMAND behind --, and no --observe");
    }
    wanted.command.assign(separator + 1, arguments.end());
    return wanted;
  }
  if (parsed.ls->parsed()) {
    ls_arguments wanted = ls_arguments_of(parsed, std::move(servers));
    wanted.access = std::move(access);
    return wanted;
  }
  if (parsed.watch->parsed()) {
    watch_arguments wanted = watch_arguments_of(parsed, std::move(servers));
    wanted.access = std::move(access);
    return wanted;
  }
  if (parsed.evict->parsed()) {
    evict_arguments wanted = evict_arguments_of(parsed, std::move(servers));
    wanted.access = std::move(access);
    return wanted;
  }
  if (parsed.revoke->parsed()) {
    revoke_arguments wanted = revoke_arguments_of(parsed, std::move(servers));
    wanted.access = std::move(access);
    return wanted;
  }
  if (parsed.doctor->parsed()) {
    doctor_arguments wanted = doctor_arguments_of(parsed, std::move(servers));
    wanted.access = std::move(access);
    return wanted;
  }
  if (!has_command) {
    refuse_forgotten_separator(parsed.raw.paths);
  }
  run_arguments wanted = run_arguments_of(parsed, std::move(servers));
  wanted.access = std::move(access);
  if (no_command) {
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
