// How the command line is understood.
#include <gtest/gtest.h>

#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <zklock/version.hpp>

#include "src/cli/arguments.hpp"
#include "src/cli/help_text.hpp"

namespace zklock::cli {
namespace {

using namespace std::chrono_literals;
using arguments = std::vector<std::string>;

const environment_values somewhere{.connect = "e:1"};

run_arguments parsed(const arguments& given, const char* connect = "e:1") {
  return std::get<run_arguments>(parse(given, {.connect = connect}));
}

std::string text_for(const arguments& given) { return std::get<text_wanted>(parse(given, somewhere)).text; }

std::string refusal_of(const arguments& given) {
  try {
    (void)parse(given, somewhere);
    return "(taken)";
  } catch (const usage_error& refused) {
    return refused.what();
  }
}

TEST(a_command_line, says_what_to_run_under_which_lock) {
  const run_arguments wanted = parsed({"run", "/l", "--", "echo", "a b"});
  EXPECT_EQ(wanted.paths, arguments{"/l"});
  EXPECT_EQ(wanted.command, (arguments{"echo", "a b"}));
}

TEST(a_command_line, has_defaults_for_all_the_rest) {
  const run_arguments wanted = parsed({"run", "/l", "--", "true"});
  EXPECT_EQ(wanted.servers, "e:1");
  EXPECT_EQ(wanted.timeout, std::nullopt);
  EXPECT_EQ(wanted.session_timeout, 10s);
  EXPECT_EQ(wanted.kill_after, std::nullopt);
  EXPECT_EQ(wanted.kind, lock_kind{});
  EXPECT_EQ(wanted.label, "");
  EXPECT_FALSE(wanted.verbose);
}

TEST(a_command_line, may_set_every_option) {
  const run_arguments wanted =
      parsed({"--connect", "a:1,b:2/c", "--verbose", "run", "--timeout", "5s", "--session-timeout=4s", "--kill-after",
              "1s", "--label", "the nightly one", "/l", "--", "true"});
  EXPECT_EQ(wanted.servers, "a:1,b:2/c");
  EXPECT_EQ(wanted.timeout, 5s);
  EXPECT_EQ(wanted.session_timeout, 4s);
  EXPECT_EQ(wanted.kill_after, 1s);
  EXPECT_EQ(wanted.label, "the nightly one");
  EXPECT_TRUE(wanted.verbose);
}

TEST(a_command_line, takes_options_behind_the_path_and_the_servers_behind_run) {
  const run_arguments wanted = parsed({"run", "/l", "--timeout", "0", "--connect", "a:1", "--", "true"});
  EXPECT_EQ(wanted.timeout, 0ms);
  EXPECT_EQ(wanted.servers, "a:1");
}

TEST(a_command_line, may_name_several_locks_in_its_own_order) {
  const run_arguments several = parsed({"run", "/b", "/a", "--timeout", "5s", "/c d", "--", "true"});
  EXPECT_EQ(several.paths, (arguments{"/b", "/a", "/c d"}));
  EXPECT_EQ(several.names(), "/b, /a, /c d");
  EXPECT_EQ(parsed({"run", "/b", "--", "/a", "/c"}).names(), "/b");
  EXPECT_EQ(parsed({"run", "", "l", "--", "true"}).paths, (arguments{"", "l"})) << "the library's to refuse";
}

TEST(a_command_line, goes_before_the_environment_and_one_of_them_names_servers) {
  EXPECT_EQ(parsed({"--connect", "a:1", "run", "/l", "--", "true"}, "e:1").servers, "a:1");
  EXPECT_EQ(parsed({"run", "/l", "--", "true"}, "e:1").servers, "e:1");
  for (const char* nowhere : {"", static_cast<const char*>(nullptr)}) {
    try {
      static_cast<void>(parsed({"run", "/l", "--", "true"}, nowhere));
      ADD_FAILURE() << "a server on this host that nobody has named";
    } catch (const usage_error& refused) {
      EXPECT_STREQ(refused.what(), "no servers: --connect SERVERS, or ZKLOCK_CONNECT in the environment");
    }
  }
}

TEST(a_command_line, leaves_what_is_behind_the_separator_to_the_command) {
  const arguments command{"run", "--timeout", "-h", "--", "--version", "", "a\nb"};
  arguments line{"run", "/l", "--"};
  line.insert(line.end(), command.begin(), command.end());
  EXPECT_EQ(parsed(line).command, command);
}

TEST(a_command_line, may_give_a_value_that_looks_like_an_option_or_is_empty) {
  EXPECT_EQ(parsed({"run", "--label", "--timeout", "/l", "--", "true"}).label, "--timeout");
  EXPECT_EQ(parsed({"run", "--label=", "/l", "--", "true"}).paths, arguments{"/l"});
  EXPECT_EQ(parsed({"run", "--label", "[a,b]", "/l", "--", "true"}).label, "[a,b]");
  EXPECT_EQ(parsed({"--connect=", "run", "/l", "--", "true"}, "e:1").servers, "")
      << "given, though empty: to be refused";
}

TEST(a_command_line, may_ask_for_holders_and_waiters) {
  const ls_arguments plain = std::get<ls_arguments>(parse(arguments{"ls", "/l"}, {.connect = "e:1"}));
  EXPECT_EQ(plain.path, "/l");
  EXPECT_EQ(plain.servers, "e:1");
  EXPECT_EQ(plain.timeout, std::nullopt);
  EXPECT_FALSE(plain.json || plain.verbose || plain.recursive || plain.whole);
  const ls_arguments all = std::get<ls_arguments>(
      parse(arguments{"-v", "ls", "--json", "/l", "--timeout", "300ms", "--connect", "a:1/c"}, somewhere));
  EXPECT_EQ(all.servers, "a:1/c");
  EXPECT_EQ(all.timeout, 300ms);
  EXPECT_TRUE(all.json && all.verbose);
  EXPECT_FALSE(all.recursive);
}

TEST(a_command_line, may_ask_for_all_locks_below_a_path) {
  const ls_arguments all = std::get<ls_arguments>(parse(arguments{"ls", "--recursive", "/"}, somewhere));
  EXPECT_TRUE(all.recursive);
  EXPECT_EQ(all.path, "/");
  const ls_arguments behind = std::get<ls_arguments>(parse(arguments{"ls", "/l", "--json", "-r", "-l"}, somewhere));
  EXPECT_TRUE(behind.recursive && behind.json && behind.whole);
  EXPECT_TRUE(std::get<ls_arguments>(parse(arguments{"ls", "--long", "/l"}, somewhere)).whole);
  EXPECT_EQ(behind.path, "/l");
}

TEST(a_command_line, may_stand_for_an_election) {
  const stand_arguments plain =
      std::get<stand_arguments>(parse(arguments{"elect", "/l", "--", "serve", "--observe"}, somewhere));
  EXPECT_EQ(plain.path, "/l");
  EXPECT_EQ(plain.command, (arguments{"serve", "--observe"}));
  EXPECT_EQ(plain.data, "");
  EXPECT_FALSE(plain.latch || plain.again || plain.verbose || plain.access.for_creator_only);
  EXPECT_EQ(plain.session_timeout, 10s);
  EXPECT_EQ(plain.kill_after, std::nullopt);
  EXPECT_EQ(plain.max_hold, 0ms);
  const stand_arguments all = std::get<stand_arguments>(
      parse(arguments{"-v", "--auth-file", "/f", "elect", "--data", "[::1]", "--latch", "--again", "--acl", "creator",
                      "--session-timeout", "4s", "--kill-after", "1s", "--max-hold", "1h", "/l", "--", "true"},
            {.connect = "e:1"}));
  EXPECT_EQ(all.servers, "e:1");
  EXPECT_EQ(all.data, "[::1]");
  EXPECT_TRUE(all.latch && all.again && all.verbose && all.access.for_creator_only);
  EXPECT_EQ(all.session_timeout, 4s);
  EXPECT_EQ(all.kill_after, 1s);
  EXPECT_EQ(all.max_hold, 1h);
}

TEST(a_command_line, may_name_the_status_of_what_is_not_granted_in_time) {
  EXPECT_EQ(parsed({"run", "/l", "--", "true"}).status_not_in_time, 75);
  EXPECT_EQ(parsed({"run", "--exit-status", "0", "/l", "--", "true"}).status_not_in_time, 0);
  EXPECT_EQ(parsed({"run", "--exit-status=255", "/l", "--", "true"}).status_not_in_time, 255);
  for (const char* bad : {"256", "-1", "x", "", "1 "}) {
    EXPECT_EQ(refusal_of({"run", std::string("--exit-status=") + bad, "/l", "--", "true"}),
              "--exit-status \"" + std::string(bad) + "\" is no number from 0 to 255");
  }
}

TEST(a_command_line, may_bound_a_hold) {
  EXPECT_EQ(parsed({"run", "/l", "--", "true"}).max_hold, 0ms);
  EXPECT_EQ(parsed({"run", "--max-hold", "90s", "/l", "--", "true"}).max_hold, 90s);
}

TEST(a_command_line, may_ask_for_the_leader) {
  const observe_arguments plain =
      std::get<observe_arguments>(parse(arguments{"elect", "--observe", "/l"}, {.connect = "e:1"}));
  EXPECT_EQ(plain.path, "/l");
  EXPECT_EQ(plain.servers, "e:1");
  EXPECT_FALSE(plain.json || plain.verbose);
  EXPECT_TRUE(std::get<observe_arguments>(parse(arguments{"elect", "/l", "--json", "--observe"}, somewhere)).json);
}

TEST(a_command_line, is_refused_naming_what_is_wrong) {
  const std::vector<std::pair<arguments, std::string>> cases{
      {{}, "subcommand"},
      {{"walk", "/l", "--", "true"}, "\"walk\""},
      {{"--fast", "run", "/l", "--", "true"}, "\"--fast\""},
      {{"run", "--fast", "/l", "--", "true"}, "\"--fast\""},
      {{"run", "--", "true"}, "PATH"},
      {{"run", "/l", "/m", "/l", "--", "true"}, "PATH \"/l\" is given twice"},
      {{"run", "/l", "[/m,/n]", "--", "true"}, "\"[/m,/n]\" is no PATH"},
      {{"run", "--label", "[x]", "/l", "[]", "--", "true"}, "\"[]\" is no PATH"},
      {{"ls", "[/a]"}, "\"[/a]\" is no PATH"},
      {{"run", "/l"}, "COMMAND"},
      {{"run", "/l", "--"}, "COMMAND"},
      {{"run", "/l", "sleep", "5"}, "\"sleep\" was not expected; COMMAND goes behind --"},
      {{"run", "/l", "/m", "/bin/sleep", "5"}, "\"5\" was not expected; COMMAND goes behind --"},
      {{"run", "/l", "/m"}, "no COMMAND behind --"},
      {{"run", "/l", "--timeout"}, "--timeout"},
      {{"run", "--timeout", "5s", "--timeout", "6s", "/l", "--", "true"}, "--timeout"},
      {{"run", "--timeout", "5", "/l", "--", "true"}, "--timeout \"5\" is not a duration"},
      {{"run", "--timeout", "-5s", "/l", "--", "true"}, "--timeout \"-5s\" is not a duration: it is negative"},
      {{"run", "--timeout=-5s", "/l", "--", "true"}, "--timeout \"-5s\" is not a duration: it is negative"},
      {{"run", "--kill-after", "5", "/l", "--", "true"}, "--kill-after \"5\" is not a duration"},
      {{"run", "--timeout=", "/l", "--", "true"}, "--timeout \"\" is not a duration"},
      {{"run", "--session-timeout", "-1s", "/l", "--", "true"}, "--session-timeout \"-1s\" is not a duration"},
      {{"run", "--session-timeout", "99ms", "/l", "--", "true"},
       "--session-timeout \"99ms\" is not between 100ms and 1h"},
      {{"run", "--session-timeout", "61m", "/l", "--", "true"},
       "--session-timeout \"61m\" is not between 100ms and 1h"},
      {{"ls"}, "PATH"},
      {{"ls", "/l", "/m"}, "\"/m\""},
      {{"ls", "/l", "--"}, "\"--\""},
      {{"ls", "/l", "--", "true"}, "\"--\""},
      {{"ls", "--label", "x", "/l"}, "\"--label\""},
      {{"ls", "--timeout", "0", "/l"}, "--timeout \"0\""},
      {{"ls", "--timeout", "5", "/l"}, "--timeout \"5\" is not a duration"},
      {{"run", "--json", "/l", "--", "true"}, "\"--json\""},
      {{"run", "--recursive", "/l", "--", "true"}, "\"--recursive\""},
      {{"ls", "--recursive"}, "PATH"},
      {{"ls", "--layout", "curator", "/l"}, "\"--layout\""},
      {{"elect"}, "PATH"},
      {{"elect", "/l"}, "no COMMAND behind --, and no --observe"},
      {{"elect", "/l", "--"}, "no COMMAND behind --"},
      {{"elect", "/l", "serve"}, "\"serve\" was not expected; COMMAND goes behind --"},
      {{"elect", "/l", "--port", "80"}, "\"--port\" was not expected; COMMAND goes behind --"},
      {{"elect", "/l", "/m", "--", "true"}, "\"/m\" was not expected: elect takes one PATH"},
      {{"elect", "--json", "/l", "--", "true"}, "--json goes with --observe alone"},
      {{"elect", "--observe", "--data", "x", "/l"}, "--data does not go with --observe"},
      {{"elect", "--observe", "--again", "/l"}, "--again does not go with --observe"},
      {{"elect", "--max-hold", "0", "/l", "--", "true"}, "--max-hold \"0\" leaves no time for COMMAND"},
      {{"elect", "--acl", "creator", "/l", "--", "true"}, "--acl creator needs credentials"},
      {{"run", "--max-hold", "5", "/l", "--", "true"}, "--max-hold \"5\" is not a duration"},
      {{"run", "--max-hold", "-5s", "/l", "--", "true"}, "--max-hold \"-5s\" is not a duration: it is negative"},
      {{"elect", "--observe", "/l", "/m"}, "\"/m\" was not expected: elect takes one PATH"},
      {{"elect", "--observe", "/l", "--", "true"}, "\"--\" was not expected: elect --observe runs no COMMAND"},
      {{"elect", "--observe", "--timeout", "5s", "/l"}, "\"--timeout\""},
      {{"watch"}, "PATH is required"},
      {{"watch", "/l", "/m"}, "\"/m\" was not expected: watch takes one PATH"},
      {{"watch", "/l", "--", "true"}, "\"--\" was not expected: watch runs no COMMAND"},
      {{"watch", "--timeout", "5s", "/l"}, "\"--timeout\""},
  };
  for (const auto& [line, names] : cases) {
    const std::string refusal = refusal_of(line);
    EXPECT_NE(refusal.find(names), std::string::npos) << "of " << ::testing::PrintToString(line) << ": " << refusal;
  }
}

TEST(a_command_line, is_asked_back_what_a_mistyped_word_was_to_be) {
  const std::pair<arguments, const char*> cases[] = {
      {{"run", "--timout", "5s", "/l", "--", "true"}, "\"--timout\" was not expected; did you mean --timeout?"},
      {{"run", "--timout=5s", "/l", "--", "true"}, "\"--timout=5s\" was not expected; did you mean --timeout?"},
      {{"run", "-timeout=5s", "/l", "--", "true"}, "did you mean --timeout?"},
      {{"run", "--session", "5s", "/l", "--", "true"}, "did you mean --session-timeout?"},
      {{"run", "--lable", "x", "/l"}, "\"--lable\" was not expected; did you mean --label? COMMAND goes behind --"},
      {{"--session-timeout", "5s", "run", "/l", "--", "true"}, "was not expected; it goes behind the subcommand"},
      {{"--conect", "a:1", "run", "/l", "--", "true"}, "did you mean --connect?"},
      {{"ls", "--conect", "a:1", "/l"}, "did you mean --connect?"},
      {{"ls", "--recusive", "/l"}, "did you mean --recursive?"},
      {{"rnu", "/l", "--", "true"}, "\"rnu\" was not expected; did you mean run?"},
      {{"elct", "/l", "--", "true"}, "did you mean elect?"},
      {{"docter", "/l"}, "did you mean doctor?"},
      {{"help", "rnu"}, "\"rnu\" was not expected; did you mean run?"},
  };
  for (const auto& [line, names] : cases) {
    const std::string refusal = refusal_of(line);
    EXPECT_NE(refusal.find(names), std::string::npos) << "of " << ::testing::PrintToString(line) << ": " << refusal;
  }
  EXPECT_EQ(refusal_of({"unlock", "/l"}), "\"unlock\" was not expected") << "nothing is near";
}

TEST(a_command_line, may_ask_for_the_version_and_for_help_that_fits_a_screen) {
  for (const char* version : {"--version", "-V"}) EXPECT_EQ(text_for({version}), "zklock " ZKLOCK_VERSION_STRING "\n");
  EXPECT_EQ(text_for({"help"}), text_for({"--help"}));
  EXPECT_EQ(text_for({"help", "run"}), text_for({"run", "--help"}));
  EXPECT_EQ(text_for({"help", "--connect", "a:1"}), text_for({"--help"}));
  const std::vector<std::pair<arguments, std::span<const help_text::option_text>>> pages{
      {{"--help"}, help_text::options_of_all()},
      {{"-h"}, help_text::options_of_all()},
      {{"run", "--help"}, help_text::options_of_run()},
      {{"run", "-h", "--", "true"}, help_text::options_of_run()},
      {{"doctor", "--help"}, help_text::options_of_doctor()},
      {{"evict", "--help"}, help_text::options_of_evict()},
      {{"revoke", "--help"}, help_text::options_of_revoke()},
      {{"watch", "--help"}, help_text::options_of_watch()},
      {{"ls", "--help"}, help_text::options_of_ls()},
      {{"elect", "--help"}, help_text::options_of_elect()}};
  for (const auto& [line, options] : pages) {
    const std::string help = text_for(line);
    EXPECT_NE(help.find("Usage: zklock ["), std::string::npos) << help;
    EXPECT_NE(help.find("man zklock"), std::string::npos) << help;
    for (const help_text::option_text& one : options) {
      EXPECT_NE(help.find(one.names), std::string::npos) << one.names << " is missing in\n" << help;
      EXPECT_NE(help.find(one.brief), std::string::npos) << one.brief << " is missing in\n" << help;
    }
    std::istringstream lines(help);
    std::size_t count = 0;
    for (std::string one; std::getline(lines, one); ++count) {
      EXPECT_LE(one.size(), 80U) << one;
    }
    EXPECT_LE(count, 24U) << help;
    EXPECT_EQ(help.find("PATH ...") != help.npos, line.front() == "run" || line.front() == "doctor")
        << "these take several\n"
        << help;
  }
}

TEST(a_command_line, may_ask_to_watch_a_lock) {
  const auto plain = std::get<watch_arguments>(parse(arguments{"watch", "/l"}, somewhere));
  EXPECT_EQ(plain.path, "/l");
  EXPECT_FALSE(plain.json);
  EXPECT_FALSE(plain.verbose);
  const auto all = std::get<watch_arguments>(
      parse(arguments{"--connect", "zk:1/app", "--auth-file", "/f", "-v", "watch", "/l", "--json"}, somewhere));
  EXPECT_EQ(all.servers, "zk:1/app");
  EXPECT_EQ(all.access.auth_file, "/f");
  EXPECT_TRUE(all.json);
  EXPECT_TRUE(all.verbose);
}

TEST(a_command_line, names_credentials_and_an_access_list) {
  const std::vector<std::string> plain{"run", "/l", "--", "true"};
  EXPECT_EQ(std::get<run_arguments>(parse(plain, somewhere)).access.auth_file, "");
  EXPECT_EQ(std::get<run_arguments>(parse(plain, {.connect = "e:1", .auth_file = "/e"})).access.auth_file, "/e");
  const auto both =
      std::get<run_arguments>(parse(arguments{"--auth-file", "/f", "run", "--acl", "creator", "/l", "--", "true"},
                                    {.connect = "e:1", .auth_file = "/e"}));
  EXPECT_EQ(both.access.auth_file, "/f");
  EXPECT_TRUE(both.access.for_creator_only);
  EXPECT_FALSE(parsed({"run", "--acl", "open", "/l", "--", "true"}).access.for_creator_only);
  EXPECT_EQ(std::get<ls_arguments>(parse(arguments{"ls", "--auth-file", "/f", "/l"}, somewhere)).access.auth_file,
            "/f");
  EXPECT_EQ(refusal_of({"run", "--acl", "all", "/l", "--", "true"}), "--acl \"all\" is neither open nor creator");
  EXPECT_EQ(refusal_of({"run", "--acl", "creator", "/l", "--", "true"}),
            "--acl creator needs credentials: --auth-file FILE");
  EXPECT_EQ(refusal_of({"run", "--auth-file=", "/l", "--", "true"}), "--auth-file \"\" names no file");
  EXPECT_NE(refusal_of({"ls", "--acl", "open", "/l"}).find("\"--acl\""), std::string::npos);
}

}  // namespace
}  // namespace zklock::cli
