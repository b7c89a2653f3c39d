// Which kind of lock the command line asks for.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "src/cli/arguments.hpp"
#include "src/cli/manual.hpp"

namespace zklock::cli {
namespace {

using recipe = lock_kind::recipe;
using options = std::vector<std::string>;

/// zklock run OPTIONS /l -- true
invocation parsed(options line) {
  line.insert(line.begin(), "run");
  line.insert(line.end(), {"/l", "--", "true"});
  return parse(line, {.connect = "e:1"});
}

lock_kind kind_with(const options& given) { return std::get<run_arguments>(parsed(given)).kind; }

std::string refusal_of(const options& given) {
  try {
    (void)parsed(given);
    return "(taken)";
  } catch (const usage_error& refused) {
    return refused.what();
  }
}

TEST(the_kind_of_a_lock, is_a_mutex_unless_an_option_says_otherwise) {
  EXPECT_EQ(kind_with({}), (lock_kind{.of = recipe::mutex}));
  EXPECT_EQ(kind_with({"--shared"}), (lock_kind{.of = recipe::shared}));
  EXPECT_EQ(kind_with({"--exclusive"}), (lock_kind{.of = recipe::exclusive}));
}

TEST(the_kind_of_a_lock, may_be_a_semaphore_of_which_one_permit_is_taken_or_several) {
  EXPECT_EQ(kind_with({"--semaphore", "4"}), (lock_kind{.of = recipe::semaphore, .limit = 4, .permits = 1}));
  EXPECT_EQ(kind_with({"--permits=3", "--semaphore=4"}),
            (lock_kind{.of = recipe::semaphore, .limit = 4, .permits = 3}));
  EXPECT_EQ(kind_with({"--semaphore", "1000000", "--permits", "1000000"}),
            (lock_kind{.of = recipe::semaphore, .limit = 1'000'000, .permits = 1'000'000}));
}

TEST(the_kind_of_a_lock, is_one_for_all_paths) {
  const auto wanted =
      std::get<run_arguments>(parse(options{"run", "/a", "--semaphore", "4", "/b", "--", "true"}, {.connect = "e:1"}));
  EXPECT_EQ(wanted.paths, (options{"/a", "/b"}));
  EXPECT_EQ(wanted.kind.limit, 4U);
}

TEST(the_kind_of_a_lock, is_native_unless_the_layout_is_said_to_be_curators) {
  EXPECT_EQ(kind_with({}).layout, layout::native);
  EXPECT_EQ(kind_with({"--layout", "native", "--shared"}), (lock_kind{.of = recipe::shared}));
  EXPECT_EQ(kind_with({"--layout", "curator"}), (lock_kind{.of = recipe::mutex, .layout = layout::curator}));
  EXPECT_EQ(kind_with({"--shared", "--layout=curator"}), (lock_kind{.of = recipe::shared, .layout = layout::curator}));
  EXPECT_EQ(kind_with({"--exclusive", "--layout=curator"}),
            (lock_kind{.of = recipe::exclusive, .layout = layout::curator}));
  EXPECT_EQ(kind_with({"--semaphore", "4", "--layout=curator", "--permits", "3"}),
            (lock_kind{.of = recipe::semaphore, .limit = 4, .permits = 3, .layout = layout::curator}));
}

TEST(the_kind_of_a_lock, is_refused_naming_what_is_wrong) {
  const std::vector<std::pair<options, std::string>> cases{
      {{"--shared", "--exclusive"}, "--shared and --exclusive exclude each other"},
      {{"--semaphore", "3", "--shared"}, "--shared and --semaphore \"3\" exclude each other"},
      {{"--exclusive", "--semaphore", "3"}, "--exclusive and --semaphore \"3\" exclude each other"},
      {{"--permits", "2"}, "--permits \"2\" is for --semaphore"},
      {{"--shared", "--permits", "2"}, "--permits \"2\" is for --semaphore"},
      {{"--semaphore", "0"}, "--semaphore \"0\" is not a whole number from 1 to 1000000"},
      {{"--semaphore", "1000001"}, "--semaphore \"1000001\" is not a whole number from 1 to 1000000"},
      {{"--semaphore", "99999999999999999999"}, "--semaphore \"99999999999999999999\" is not"},
      {{"--semaphore", "-1"}, "--semaphore \"-1\" is not"},
      {{"--semaphore", "+1"}, "--semaphore \"+1\" is not"},
      {{"--semaphore", " 1"}, "--semaphore \" 1\" is not"},
      {{"--semaphore", "2x"}, "--semaphore \"2x\" is not"},
      {{"--semaphore="}, "--semaphore \"\" is not"},
      {{"--semaphore", "any"}, "--semaphore \"any\" is not"},
      {{"--semaphore", "2", "--permits", "0"}, "--permits \"0\" is not a whole number from 1 to 1000000"},
      {{"--semaphore", "2", "--permits", "1.5"}, "--permits \"1.5\" is not"},
      {{"--semaphore", "2", "--permits", "3"}, "--permits \"3\" is more than --semaphore \"2\" has"},
      {{"--semaphore", "2", "--semaphore", "3"}, "--semaphore"},
      {{"--semaphore", "2", "--permits", "1", "--permits", "1"}, "--permits"},
      {{"--shared=yes and no"}, "--shared"},
      {{"--layout", "java"}, "--layout \"java\" is neither native nor curator"},
      {{"--layout="}, "--layout \"\" is neither"},
      {{"--layout", "Curator"}, "--layout \"Curator\" is neither"},
      {{"--layout", "curator "}, "--layout \"curator \" is neither"},
      {{"--layout", "[curator]"}, "--layout"},
      {{"--layout", "unknown", "--semaphore", "2"}, "--layout \"unknown\" is neither"},
      {{"--layout", "curator", "--layout", "native"}, "--layout"},
  };
  for (const auto& [given, names] : cases) {
    const std::string refusal = refusal_of(given);
    EXPECT_NE(refusal.find(names), std::string::npos) << "of " << ::testing::PrintToString(given) << ": " << refusal;
  }
}

TEST(the_kind_of_a_lock, is_explained_by_help_and_the_manual) {
  const std::string help = std::get<text_wanted>(parse(options{"run", "--help"}, {.connect = "e:1"})).text;
  for (const char* part : {"--shared", "--exclusive", "--semaphore LIMIT", "--permits N", "--layout NAME", "PATH..."}) {
    EXPECT_NE(help.find(part), std::string::npos) << part;
  }
  for (const char* part : {"one a line", "1 to 1000000", "as Curator does"}) {
    EXPECT_NE(manual_page("zklock-run").find(part), std::string::npos) << part;
  }
}

}  // namespace
}  // namespace zklock::cli
