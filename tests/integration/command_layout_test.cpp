// zklock run --layout curator, and what zklock ls shows of Curator's nodes.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "tests/integration/command_on_a_server.hpp"

namespace zklock::test {
namespace {

using json = nlohmann::json;
using client::create_mode;

class in_curators_layout : public command_on_a_server {
 protected:
  /// zklock run --layout curator OPTIONS-AND-PATHS -- sh -c SCRIPT, with a limit to connect.
  [[nodiscard]] static words running(const words& what, const std::string& script) {
    words line{"run", "--timeout", "60s", "--layout", "curator"};
    line.insert(line.end(), what.begin(), what.end());
    line.insert(line.end(), {"--", "sh", "-c", script});
    return zklock(line);
  }
  /// The same, one try.
  [[nodiscard]] static words trying(const words& what) {
    words line = running(what, "true");
    line[3] = "0";
    return line;
  }
  static constexpr const char* hold = "echo held; sleep 60";

  void end(running_command& one) {
    one.send(SIGTERM);
    EXPECT_EQ(one.status(), 128 + SIGTERM) << one.errors();
  }
  [[nodiscard]] json list(const std::string& path = "/lock") {
    running_command one(zklock({"ls", "--json", path}), here());
    EXPECT_EQ(one.status(), 0) << one.errors();
    return json::parse(one.output());
  }
  [[nodiscard]] std::string table(const std::string& path = "/lock") {
    running_command one(zklock({"ls", "--long", path}), here());
    EXPECT_EQ(one.status(), 0) << one.errors();
    return one.output();
  }
  /// "held read read-label" of each.
  [[nodiscard]] static words summary_of(const json& all) {
    words lines;
    for (const json& one : all) {
      lines.push_back(one["state"].get<std::string>() + " " + one["kind"].get<std::string>() + " " +
                      one["label"].get<std::string>());
    }
    return lines;
  }
  /// The one node there is named so, and has this for its data.
  void expect_node(const std::string& path, const std::string& marker, const std::string& payload) {
    const std::vector<std::string> there = contenders(path);
    ASSERT_EQ(there.size(), 1U) << path;
    const std::regex name("_c_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}-" + marker +
                          "[0-9]{10}");
    EXPECT_TRUE(std::regex_match(there.front(), name)) << there.front();
    EXPECT_EQ(server_.data(full(path + "/" + there.front())), payload);
  }
  void put(const std::string& path, const std::string& data) {
    ASSERT_EQ(
        server_.ask(client::request::create{full(path), data, create_mode::persistent, {client::acl_entry{}}}).code,
        client::code::ok);
  }
  void make(const words& paths) {
    for (const std::string& path : paths) {
      (void)server_.create(full(path));
    }
  }
};

// ---- what is on the wire -------------------------------------------------------------------------------------------

TEST_F(in_curators_layout, each_kind_has_curators_nodes_with_the_label_as_payload) {
  running_command mutex(running({"--label", "m", "/m"}, hold), here());
  running_command reader(running({"--label", "r", "--shared", "/r"}, hold), here());
  running_command writer(running({"--label", "w", "--exclusive", "/w"}, hold), here());
  running_command user(running({"--label", "s", "--semaphore", "2", "/s"}, hold + std::string("; echo $ZKLOCK_NODE")),
                       here());
  ASSERT_TRUE(says(mutex, "held") && says(reader, "held") && says(writer, "held") && says(user, "held"))
      << mutex.errors() << reader.errors() << writer.errors() << user.errors();
  expect_node("/m", "lock-", "m");
  expect_node("/r", "__READ__", "r");
  expect_node("/w", "__WRIT__", "w");
  expect_node("/s/leases", "lease-", "s");
  EXPECT_TRUE(eventually([&] { return contenders("/s/locks").empty(); })) << "it has its lease";
  EXPECT_EQ(server_.data(full("/s")), "") << "no limit is kept";
  for (running_command* one : {&mutex, &reader, &writer, &user}) {
    end(*one);
  }
  EXPECT_TRUE(contenders("/s/leases").empty()) << "the release is confirmed before the command returns";
}

TEST_F(in_curators_layout, several_permits_are_as_many_nodes_and_the_command_is_told_of_all) {
  running_command user(running({"--semaphore", "3", "--permits", "2", "/s"},
                               "echo \"$ZKLOCK_PATH\"; echo \"$ZKLOCK_NODE\"; echo end; sleep 60"),
                       here());
  ASSERT_TRUE(says(user, "end\n")) << user.errors();
  words nodes = contenders("/s/leases");
  ASSERT_EQ(nodes.size(), 2U);
  for (const std::string& one : nodes) {
    EXPECT_TRUE(contains(user.output(), "\n/s/leases/" + one + "\n")) << user.output();
  }
  EXPECT_TRUE(user.output().starts_with("/s\n"));
  end(user);
}

TEST_F(in_curators_layout, several_paths_are_taken_in_the_order_given) {
  running_command holder(running({"/b"}, hold), here());
  ASSERT_TRUE(says(holder, "held")) << holder.errors();
  running_command all(running({"--label", "all", "/a", "/b", "/c"}, hold), here());
  ASSERT_TRUE(queue_grows_to(2, "/b"));
  EXPECT_EQ(contenders("/a").size(), 1U) << "it has that one";
  EXPECT_EQ(contenders("/c").size(), 0U) << "and comes to this one in its turn";
  running_command refused(trying({"/c", "/a"}), here());
  EXPECT_EQ(refused.status(), 75);
  EXPECT_TRUE(queue_grows_to(0, "/c")) << "none of a refused one is left";
  EXPECT_EQ(all.output(), "");
  end(holder);
  ASSERT_TRUE(says(all, "held")) << all.errors();
  expect_node("/a", "lock-", "all");
  expect_node("/c", "lock-", "all");
  end(all);
}

// ---- waiting, and being let in -------------------------------------------------------------------------------------

TEST_F(in_curators_layout, f89_a_mutex_is_handed_over_and_a_waiter_names_the_holder_and_not_itself) {
  running_command holder(running({"--label", "the first", "/lock"}, hold), here());
  ASSERT_TRUE(says(holder, "held")) << holder.errors();
  running_command waiter(running({"--label", "the second", "/lock"}, hold), here());
  ASSERT_TRUE(eventually([&] { return !waiter.errors().empty(); }));
  EXPECT_EQ(waiter.errors(), "zklock: waiting for /lock, held by \"the first\"\n");
  EXPECT_EQ(summary_of(list()), (words{"held mutex the first", "waiting mutex the second"}));
  EXPECT_EQ(table().find("LAYOUT"), std::string::npos) << "a mutex is the same in both";
  end(holder);
  ASSERT_TRUE(says(waiter, "held")) << waiter.errors();
  end(waiter);
}

TEST_F(in_curators_layout, a_mutex_excludes_a_native_one) {
  running_command holder(running({"/lock"}, hold), here());
  ASSERT_TRUE(says(holder, "held")) << holder.errors();
  running_command native(zklock({"run", "--timeout", "0", "--layout", "native", "/lock", "--", "true"}), here());
  EXPECT_EQ(native.status(), 75) << native.errors();
  end(holder);
}

TEST_F(in_curators_layout, readers_run_at_once_and_a_writer_after_all_of_them) {
  running_command one(running({"--label", "one", "--shared", "/lock"}, hold), here());
  ASSERT_TRUE(says(one, "held")) << one.errors();
  running_command other(running({"--label", "other", "--shared", "/lock"}, hold), here());
  ASSERT_TRUE(says(other, "held")) << other.errors();
  running_command writer(running({"--label", "writer", "--exclusive", "/lock"}, hold), here());
  ASSERT_TRUE(queue_grows_to(3));
  running_command late(running({"--label", "late", "--shared", "/lock"}, hold), here());
  ASSERT_TRUE(queue_grows_to(4));
  const json all = list();
  EXPECT_EQ(summary_of(all), (words{"held read one", "held read other", "waiting write writer", "waiting read late"}));
  EXPECT_EQ(all[0]["layout"], "curator");
  EXPECT_TRUE(contains(table(), "\"writer\"  write  curator  z")) << table();
  ASSERT_TRUE(eventually([&] { return !late.errors().empty(); }));
  EXPECT_EQ(late.errors(), "zklock: waiting for /lock, wanted before us by \"writer\"\n");

  end(one);
  EXPECT_EQ(writer.output(), "") << "one reader is left";
  end(other);
  ASSERT_TRUE(says(writer, "held")) << writer.errors();
  EXPECT_EQ(late.output(), "");
  EXPECT_EQ(summary_of(list()), (words{"held write writer", "waiting read late"}));
  end(writer);
  ASSERT_TRUE(says(late, "held")) << late.errors();
  end(late);
}

TEST_F(in_curators_layout, f89_a_semaphore_lets_in_as_many_as_it_has_permits_and_lists_each_client_once) {
  const auto of_two = [](const std::string& label) { return words{"--semaphore", "2", "--label", label, "/lock"}; };
  running_command first(running(of_two("first"), hold), here());
  ASSERT_TRUE(says(first, "held")) << first.errors();
  running_command second(running(of_two("second"), hold), here());
  ASSERT_TRUE(says(second, "held")) << second.errors();
  running_command third(running(of_two("third"), hold), here());
  ASSERT_TRUE(queue_grows_to(3, "/lock/leases"));
  running_command fourth(running(of_two("fourth"), hold), here());
  ASSERT_TRUE(queue_grows_to(2, "/lock/locks"));
  running_command refused(trying(of_two("refused")), here());
  EXPECT_EQ(refused.status(), 75) << refused.errors();
  ASSERT_TRUE(queue_grows_to(2, "/lock/locks"));

  const json all = list();
  EXPECT_EQ(summary_of(all),
            (words{"held permits first", "held permits second", "waiting permits third", "waiting permits fourth"}));
  for (std::size_t place = 0; place < 3; ++place) {
    const std::string node = all[place]["node"];
    EXPECT_TRUE(node.starts_with("/lock/leases/_c_")) << node;
    EXPECT_EQ(to_string(fencing_token{server_.look(full(node))->czxid}), all[place]["token"]);
    EXPECT_EQ(all[place]["permits"], 1);
  }
  const std::string in_line = all[3]["node"];
  EXPECT_TRUE(in_line.starts_with("/lock/locks/_c_") && server_.look(full(in_line))) << in_line;
  EXPECT_TRUE(all[3]["token"].is_null() && all[3]["permits"].is_null());
  EXPECT_TRUE(contains(table(), "  LABEL     KIND     PERMITS  LAYOUT   TOKEN ")) << table();
  ASSERT_TRUE(eventually([&] { return !third.errors().empty() && !fourth.errors().empty(); }));
  EXPECT_EQ(fourth.errors(), "zklock: waiting for /lock, held by \"first\"; 2 others are before us\n");
  EXPECT_EQ(third.errors(), "zklock: waiting for /lock, held by \"first\"; 1 other is before us\n");

  end(second);
  ASSERT_TRUE(says(third, "held")) << third.errors();
  EXPECT_EQ(fourth.output(), "");
  end(first);
  ASSERT_TRUE(says(fourth, "held")) << fourth.errors();
  end(third);
  end(fourth);
}

TEST_F(in_curators_layout, a_layout_that_others_do_not_have_is_refused_where_it_is_seen) {
  running_command native(zklock({"run", "--timeout", "60s", "--shared", "/lock", "--", "sh", "-c", hold}), here());
  ASSERT_TRUE(says(native, "held")) << native.errors();
  running_command refused(running({"--shared", "/lock"}, "true"), here());
  EXPECT_EQ(refused.status(), 69);
  EXPECT_TRUE(refused.errors().starts_with("zklock: acquire /lock: ")) << refused.errors();
  EXPECT_EQ(contenders().size(), 1U);
  end(native);
}

TEST_F(in_curators_layout, f89_an_unknown_layout_ends_with_64_naming_it_and_leaves_nothing) {
  running_command refused(zklock({"run", "--layout", "java", "/lock", "--", "true"}), here());
  EXPECT_EQ(refused.status(), 64);
  EXPECT_EQ(refused.errors().substr(0, refused.errors().find('\n')),
            "zklock: --layout \"java\" is neither native nor curator");
  EXPECT_FALSE(server_.look(root_)) << "nothing was made";
}

// ---- hostile names and data ----------------------------------------------------------------------------------------

TEST_F(in_curators_layout, f51_the_listing_is_not_garbled_by_what_stands_under_leases_and_locks) {
  make({"/lock/leases", "/lock/locks"});
  put("/lock/leases/\xe2\x80\xae x-lease-0000000001", "\x1b[2J\r\n0  held\xff\xe2\x80\xae");
  put("/lock/leases/w-lease-0000000002", "mode=permit\nhost=h\npid=7\n\x1b[1m");
  put("/lock/leases/y-lease-0000000003", std::string(900'000, '\x1b'));
  put("/lock/leases/stray", "\x1b");
  put("/lock/locks/\xe2\x80\xae z-lock-0000000004", "mode=granted\nlabel=\"  1\x9b\n");
  const std::string text = table();
  EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](char one) {
    return one == '\n' || (one >= 0x20 && one < 0x7F);
  })) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 5) << text;
  EXPECT_FALSE(contains(text, "stray")) << text;
  const json all = list();
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[1]["label"], "mode=permit\nhost=h\npid=7\n\x1b[1m") << "a payload is a label";
  EXPECT_EQ(all[1]["state"], "held") << "and says nothing about the place";
  EXPECT_EQ(all[3]["state"], "waiting");
  EXPECT_TRUE(all[3]["permits"].is_null());
}

TEST_F(in_curators_layout, f51_the_listing_takes_no_folder_for_a_semaphore_that_only_has_locks_in_it) {
  make({"/app/locks"});
  put("/app/locks/_c_1b4e28ba-2fa1-4ad2-883f-0016d3cca427-lock-0000000001", "");
  EXPECT_TRUE(list("/app").empty());
  EXPECT_EQ(list("/app/locks").size(), 1U);
}

}  // namespace
}  // namespace zklock::test
