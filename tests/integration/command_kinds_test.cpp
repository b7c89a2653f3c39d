// zklock run: read and write locks, semaphores, and several locks as one.
#include <gtest/gtest.h>

#include <csignal>
#include <sstream>
#include <string>
#include <vector>

#include "tests/integration/command_on_a_server.hpp"

namespace zklock::test {
namespace {

class the_command_with_kinds : public command_on_a_server {
 protected:
  /// zklock run OPTIONS-AND-PATHS -- sh -c SCRIPT, with a limit to connect.
  [[nodiscard]] static words running(const words& what, const std::string& script) {
    words line{"run", "--timeout", "60s"};
    line.insert(line.end(), what.begin(), what.end());
    line.insert(line.end(), {"--", "sh", "-c", script});
    return zklock(line);
  }
  /// The same, one try.
  [[nodiscard]] static words trying(const words& what) {
    words line{"run", "--timeout", "0"};
    line.insert(line.end(), what.begin(), what.end());
    line.insert(line.end(), {"--", "true"});
    return zklock(line);
  }
  static constexpr const char* hold = "echo held; sleep 60";

  void end(running_command& one) {
    one.send(SIGTERM);
    EXPECT_EQ(one.status(), 128 + SIGTERM) << one.errors();
  }
  /// Those whose name begins so.
  [[nodiscard]] std::size_t contenders_of(const std::string& kind, const std::string& path = "/lock") {
    std::size_t count = 0;
    for (const std::string& one : contenders(path)) {
      count += one.starts_with(kind) ? 1 : 0;
    }
    return count;
  }
  [[nodiscard]] std::string only_contender_at(const std::string& path) {
    const std::vector<std::string> there = contenders(path);
    return there.size() == 1 ? path + "/" + there.front() : "(not one contender)";
  }
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    lines.push_back(line);
  }
  return lines;
}

// ---- a read/write lock ----------------------------------------------------------------------------------------------

TEST_F(the_command_with_kinds, runs_readers_at_once_and_a_writer_after_all_of_them) {
  running_command one(running({"--shared", "/lock"}, hold), here());
  running_command other(running({"/lock", "--shared"}, hold), here());
  ASSERT_TRUE(says(one, "held") && says(other, "held")) << one.errors() << other.errors();
  running_command writer(running({"--exclusive", "/lock"}, hold), here());
  ASSERT_TRUE(queue_grows_to(3));
  EXPECT_EQ(contenders_of("read-"), 2U);
  EXPECT_EQ(contenders_of("write-"), 1U);
  running_command late(running({"--shared", "/lock"}, hold), here());
  ASSERT_TRUE(queue_grows_to(4));
  running_command refused(trying({"--shared", "/lock"}), here());
  EXPECT_EQ(refused.status(), 75) << "a writer is before it";

  end(one);
  EXPECT_EQ(writer.output(), "") << "one reader is left";
  end(other);
  ASSERT_TRUE(says(writer, "held")) << writer.errors();
  EXPECT_EQ(late.output(), "");
  end(writer);
  ASSERT_TRUE(says(late, "held")) << late.errors();
  end(late);
}

TEST_F(the_command_with_kinds, says_which_path_another_kind_of_lock_has) {
  running_command mutex(running({"/b"}, hold), here());
  ASSERT_TRUE(says(mutex, "held")) << mutex.errors();
  running_command reader(running({"--shared", "/b"}, "true"), here());
  EXPECT_EQ(reader.status(), 69);
  EXPECT_TRUE(reader.errors().starts_with("zklock: acquire /b: ")) << reader.errors();
  running_command several(running({"--shared", "/a", "/b", "/c"}, "true"), here());
  EXPECT_EQ(several.status(), 69);
  EXPECT_TRUE(several.errors().starts_with("zklock: acquire /b: ")) << several.errors();
  EXPECT_EQ(contenders("/a").size() + contenders("/c").size(), 0U);
  EXPECT_FALSE(mutex.has_ended());
  end(mutex);
}

// ---- a semaphore ----------------------------------------------------------------------------------------------------

TEST_F(the_command_with_kinds, runs_as_many_as_a_semaphore_has_permits) {
  const words of_two{"--semaphore", "2", "/lock"};
  running_command first(running(of_two, hold), here());
  running_command second(running(of_two, hold), here());
  ASSERT_TRUE(says(first, "held") && says(second, "held")) << first.errors() << second.errors();
  running_command third(running(of_two, hold), here());
  ASSERT_TRUE(queue_grows_to(3));
  running_command refused(trying(of_two), here());
  EXPECT_EQ(refused.status(), 75);
  EXPECT_EQ(third.output(), "");
  end(second);
  ASSERT_TRUE(says(third, "held")) << third.errors();
  end(first);
  end(third);
}

TEST_F(the_command_with_kinds, takes_several_permits_or_none) {
  running_command both(running({"--semaphore", "2", "--permits", "2", "/lock"}, hold), here());
  ASSERT_TRUE(says(both, "held")) << both.errors();
  EXPECT_EQ(contenders().size(), 1U) << "one node";
  running_command refused(trying({"--semaphore", "2", "/lock"}), here());
  EXPECT_EQ(refused.status(), 75);
  EXPECT_EQ(refused.errors(), "zklock: /lock: not granted at once; others are first\n");
  running_command next(running({"--semaphore", "2", "--permits", "1", "/lock"}, hold), here());
  ASSERT_TRUE(queue_grows_to(2));
  running_command wants_both(running({"--semaphore", "2", "--permits", "2", "/lock"}, hold), here());
  ASSERT_TRUE(queue_grows_to(3));
  end(both);
  ASSERT_TRUE(says(next, "held")) << next.errors();
  EXPECT_EQ(wants_both.output(), "");
  end(next);
  ASSERT_TRUE(says(wants_both, "held")) << wants_both.errors();
  end(wants_both);
}

TEST_F(the_command_with_kinds, f63_names_both_limits_when_a_semaphore_has_another_one) {
  running_command stored(running({"--semaphore", "2", "/b"}, "true"), here());
  ASSERT_EQ(stored.status(), 0) << stored.errors();
  for (const words& paths : {words{"/b"}, words{"/a", "/b"}}) {
    words line{"--semaphore", "3"};
    line.insert(line.end(), paths.begin(), paths.end());
    running_command other(running(line, "true"), here());
    EXPECT_EQ(other.status(), 69);
    const std::string said = other.errors();
    EXPECT_TRUE(said.starts_with("zklock: acquire /b ")) << said;
    EXPECT_TRUE(contains(said, "2") && contains(said, "3")) << said;
  }
  EXPECT_TRUE(contenders("/a").empty() && contenders("/b").empty());
}

TEST_F(the_command_with_kinds, f198_shows_other_data_of_a_semaphores_node_and_leaves_them) {
  server_.create(full("/lock"));
  ASSERT_EQ(server_.ask(client::request::set{full("/lock"), "10.20.30.40"}).code, client::code::ok);
  running_command refused(running({"--semaphore", "3", "/lock"}, "true"), here());
  EXPECT_EQ(refused.status(), 69);
  const std::string said = refused.errors();
  EXPECT_TRUE(said.starts_with("zklock: acquire /lock ")) << said;
  EXPECT_TRUE(contains(said, "\"10.20.30.40\"") && contains(said, "another path")) << said;
  EXPECT_EQ(server_.data(full("/lock")), "10.20.30.40");
  running_command as_java(running({"--layout", "curator", "--semaphore", "3", "/lock"}, "true"), here());
  EXPECT_EQ(as_java.status(), 0) << as_java.errors();
  ASSERT_EQ(server_.ask(client::request::set{full("/lock"), ""}).code, client::code::ok);
  server_.remove_tree(full("/lock/leases"));
  server_.remove_tree(full("/lock/locks"));
  running_command emptied(running({"--semaphore", "3", "/lock"}, "true"), here());
  EXPECT_EQ(emptied.status(), 0) << emptied.errors();
  EXPECT_EQ(server_.data(full("/lock")), "limit=3\n");
}

// ---- several locks --------------------------------------------------------------------------------------------------

TEST_F(the_command_with_kinds, tells_paths_and_nodes_of_several_one_a_line_in_the_order_given) {
  running_command telling(
      running({"/b", "--exclusive", "/a", "/c"},
              "echo \"$ZKLOCK_PATH\"; echo \"$ZKLOCK_NODE\"; echo $ZKLOCK_TOKEN; echo end; sleep 60"),
      here());
  ASSERT_TRUE(says(telling, "end\n")) << telling.errors();
  const std::vector<std::string> told = lines_of(telling.output());
  ASSERT_EQ(told.size(), 8U) << telling.output();
  EXPECT_EQ(words(told.begin(), told.begin() + 3), (words{"/b", "/a", "/c"}));
  EXPECT_EQ(words(told.begin() + 3, told.begin() + 6),
            (words{only_contender_at("/b"), only_contender_at("/a"), only_contender_at("/c")}));
  for (auto node = told.begin() + 3; node != told.begin() + 6; ++node) {
    const auto stat = server_.look(full(*node));
    ASSERT_TRUE(stat) << *node;
    EXPECT_EQ(told[6], to_string(fencing_token{stat->czxid})) << "one token for all";
  }
  end(telling);
}

// The first two fill the way to the guardian.
TEST_F(the_command_with_kinds, tells_its_guardian_more_than_it_takes_at_once) {
  words paths;
  for (char name = 'a'; name < 'm'; ++name) paths.push_back("/" + std::string(9'900, name));
  for (int i = 0; i < 5; ++i) {
    running_command telling(running(paths, "echo ${#ZKLOCK_PATH}; [ ${#ZKLOCK_NODE} -gt ${#ZKLOCK_PATH} ]"), here());
    EXPECT_EQ(telling.status(), 0) << telling.errors();
    EXPECT_EQ(telling.output(), std::to_string(12 * 9'901 + 11) + "\n");
  }
}

TEST_F(the_command_with_kinds, ends_with_70_when_paths_or_nodes_are_more_than_a_program_can_be_told) {
  running_command refused(running({"/" + std::string(70'000, 'a'), "/" + std::string(70'000, 'b')}, "true"), here());
  EXPECT_EQ(refused.status(), 70);
  EXPECT_EQ(refused.errors(), "zklock: tell the command ZKLOCK_PATH: Argument list too long\n");
  EXPECT_TRUE(eventually([&] { return server_.ephemerals_below(root_).empty(); })) << "it is given back";
}

TEST_F(the_command_with_kinds, waits_for_each_of_several_and_takes_none_before) {
  running_command holder(running({"/b"}, hold), here());
  ASSERT_TRUE(says(holder, "held")) << holder.errors();
  running_command all(running({"/a", "/b", "/c"}, hold), here());
  ASSERT_TRUE(queue_grows_to(2, "/b"));
  running_command refused(trying({"/c", "/d"}), here());
  EXPECT_EQ(refused.status(), 75) << "it is behind the command that waits for the whole";
  EXPECT_EQ(refused.errors(), "zklock: /c, /d: not granted at once; others are first\n");
  EXPECT_EQ(all.output(), "");
  end(holder);
  ASSERT_TRUE(says(all, "held")) << all.errors();
  end(all);
  EXPECT_TRUE(contenders("/a").empty() && contenders("/b").empty() && contenders("/c").empty())
      << "the release is confirmed before the command returns";
}

TEST_F(the_command_with_kinds, f67_ends_the_command_when_one_of_several_is_removed_and_names_it) {
  for (const words& kind : {words{}, words{"--shared"}, words{"--semaphore", "3"}}) {
    const std::string suffix = std::to_string(kind.size());  // a path belongs to one kind
    words line{"--session-timeout", "3s", "/a" + suffix, "/b" + suffix};
    line.insert(line.end(), kind.begin(), kind.end());
    running_command holder(running(line, hold), here());
    ASSERT_TRUE(says(holder, "held")) << holder.errors();
    ASSERT_TRUE(server_.remove(full(only_contender_at("/b" + suffix))));
    EXPECT_EQ(holder.status(), 79);
    EXPECT_EQ(holder.errors(),
              "zklock: lost the lock /b" + suffix + " (node removed): sending SIGTERM to the command\n");
    EXPECT_TRUE(nothing_runs_under_the_lock());
    EXPECT_TRUE(eventually([&] { return contenders("/a" + suffix).empty(); })) << "the rest is given back";
  }
}

TEST_F(the_command_with_kinds, f182_ends_with_79_when_its_node_was_gone_at_the_release) {
  running_command holder(running({"--session-timeout", "60s", "/lock"}, hold), here());
  ASSERT_TRUE(says(holder, "held")) << holder.errors();
  ASSERT_TRUE(server_.remove(full("/lock/" + contenders().front())));
  holder.send(SIGTERM);
  EXPECT_EQ(holder.status(), 79);
  EXPECT_EQ(holder.errors(), "zklock: lost the lock /lock (node removed) while the command ran\n");
}

TEST_F(the_command_with_kinds, f67_ends_the_command_when_no_server_answers_for_several_and_names_all) {
  proxy& way = new_proxy();
  running_command holder(running({"--connect", way.address() + root_, "--session-timeout", "2s", "/a", "/b"}, hold),
                         here());
  ASSERT_TRUE(says(holder, "held")) << holder.errors();
  way.set_mode(proxy_mode::hold);
  EXPECT_EQ(holder.status(), 79);
  EXPECT_TRUE(contains(holder.errors(), "the locks /a, /b ")) << holder.errors();
  EXPECT_TRUE(nothing_runs_under_the_lock());
  way.set_mode(proxy_mode::pass);
}

// ---- which contender it waits for -----------------------------------------------------------------------------------

TEST_F(the_command_with_kinds, f89_says_for_which_writer_a_reader_waits) {
  running_command reading(running({"--label", "a reader", "--shared", "/lock"}, hold), here());
  ASSERT_TRUE(says(reading, "held")) << reading.errors();
  running_command writer(running({"--label", "the writer", "--exclusive", "/lock"}, hold), here());
  ASSERT_TRUE(queue_grows_to(2));
  running_command reader(running({"--shared", "/lock"}, hold), here());
  ASSERT_TRUE(eventually([&] { return !writer.errors().empty() && !reader.errors().empty(); }));
  EXPECT_TRUE(writer.errors().starts_with("zklock: waiting for /lock, held by \"a reader\" (host ")) << writer.errors();
  EXPECT_TRUE(reader.errors().starts_with("zklock: waiting for /lock, wanted before us by \"the writer\" (host "))
      << reader.errors();
  EXPECT_FALSE(contains(reader.errors(), "other")) << "the reader is not in its way: " << reader.errors();
  end(reading);
  end(writer);
  ASSERT_TRUE(says(reader, "held"));
  end(reader);
}

TEST_F(the_command_with_kinds, f89_says_which_holder_it_waits_for_at_the_first_path_that_is_not_free) {
  running_command one(running({"--label", "at b", "--semaphore", "2", "/a", "/b"}, hold), here());
  running_command other(running({"--label", "at b too", "--semaphore", "2", "/b"}, hold), here());
  ASSERT_TRUE(says(one, "held") && says(other, "held")) << one.errors() << other.errors();
  running_command third(running({"--semaphore", "2", "/a", "/b", "/c"}, hold), here());
  ASSERT_TRUE(eventually([&] { return !third.errors().empty(); }));
  EXPECT_TRUE(third.errors().starts_with("zklock: waiting for /b, held by \"at b")) << third.errors();
  EXPECT_TRUE(third.errors().ends_with("; 1 other is before us\n")) << third.errors();
  end(other);
  ASSERT_TRUE(says(third, "held")) << third.errors();
  end(one);
  end(third);
}

// ---- bad usage ------------------------------------------------------------------------------------------------------

TEST_F(the_command_with_kinds, f89_exits_with_64_naming_the_value_and_leaves_nothing) {
  const std::vector<std::pair<words, std::string>> cases{
      {{"/a", "/b", "/a"}, "\"/a\" is given twice"},
      {{"/a", "/b/"}, "\"/b/\""},
      {{"--shared", "--exclusive", "/a"}, "--shared and --exclusive"},
      {{"--shared", "--semaphore", "2", "/a"}, "--semaphore \"2\""},
      {{"--permits", "2", "/a"}, "--permits \"2\""},
      {{"--semaphore", "0", "/a"}, "\"0\""},
      {{"--semaphore", "1000001", "/a"}, "\"1000001\""},
      {{"--semaphore", "2", "--permits", "0", "/a"}, "\"0\""},
      {{"--semaphore", "2", "--permits", "3", "/a"}, "\"3\""},
  };
  for (const auto& [line, named] : cases) {
    running_command refused(running(line, "true"), here());
    EXPECT_EQ(refused.status(), 64) << ::testing::PrintToString(line);
    EXPECT_TRUE(refused.errors().starts_with("zklock: ")) << refused.errors();
    EXPECT_TRUE(contains(refused.errors(), named)) << refused.errors();
  }
  EXPECT_FALSE(server_.look(root_)) << "nothing was made";
}

}  // namespace
}  // namespace zklock::test
