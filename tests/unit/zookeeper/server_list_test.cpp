#include "src/zookeeper/server_list.hpp"

#include <gtest/gtest.h>

#include <zklock/error.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zklock::client {
namespace {

/// Each host has one address, which is its name.
std::string normalised(std::string_view text) {
  return server_list::parse(text).normalised([](const std::string& host) { return std::vector{host}; });
}

TEST(server_list, separates_servers_and_chroot) {
  const auto list = server_list::parse("10.0.0.1:2181, zk.example:2182 ,c:2183/app/x");
  EXPECT_EQ(list.servers(), (std::vector<std::string>{"10.0.0.1:2181", "zk.example:2182", "c:2183"}));
  EXPECT_EQ(list.chroot(), "/app/x");
  EXPECT_EQ(list.text(), "10.0.0.1:2181,zk.example:2182,c:2183");
}

TEST(server_list, a_chroot_of_the_root_is_none) {
  EXPECT_EQ(server_list::parse("a:1/").chroot(), "");
  EXPECT_EQ(server_list::parse("a:1").chroot(), "");
}

TEST(server_list, f159_a_server_without_a_port_has_zookeepers) {
  EXPECT_EQ(server_list::parse("a").servers(), std::vector<std::string>{"a:2181"});
  EXPECT_EQ(server_list::parse("a, b:1 ,10.0.0.1/app").text(), "a:2181,b:1,10.0.0.1:2181");
  EXPECT_EQ(server_list::parse("a/app").chroot(), "/app");
  EXPECT_EQ(normalised("a,b"), "a:2181,b:2181,a:2181");
  EXPECT_EQ(server_list::parse("a,a:2181").distinct_count(), 1U);
}

// The C client has no brackets, and takes what stands behind the last colon for the port.
TEST(server_list, f159_an_address_of_ipv6_stands_in_brackets_or_alone) {
  EXPECT_EQ(normalised("[::1]:2182"), "::1:2182");
  EXPECT_EQ(normalised("[fe80::1%eth0]"), "fe80::1%eth0:2181");
  EXPECT_EQ(normalised("[::1]"), "::1:2181");
  EXPECT_EQ(normalised("::1"), "::1:2181");
  EXPECT_EQ(normalised("2001:db8::a"), "2001:db8::a:2181");
  EXPECT_EQ(normalised("[::ffff:10.0.0.1],b/x"), "::ffff:10.0.0.1:2181,b:2181,::ffff:10.0.0.1:2181");
}

TEST(server_list, the_last_colon_behind_an_address_separates_the_port) {
  EXPECT_EQ(server_list::parse("::1:2181").servers().front(), "::1:2181");
  EXPECT_EQ(server_list::parse("2001:db8:0:0:0:0:0:a:2182").servers().front(), "2001:db8:0:0:0:0:0:a:2182");
}

TEST(server_list, f84_an_even_number_of_addresses_becomes_odd_by_naming_one_again) {
  EXPECT_EQ(normalised("a:1,b:2"), "a:1,b:2,a:1");
  EXPECT_EQ(normalised("a:1,b:2,c:3,d:4/app"), "a:1,b:2,c:3,d:4,a:1");
}

TEST(server_list, f84_an_odd_number_of_addresses_is_left_as_it_is) {
  EXPECT_EQ(normalised("a:1"), "a:1");
  EXPECT_EQ(normalised("a:1,b:2,c:3"), "a:1,b:2,c:3");
}

// A name of two addresses, as a headless service has: after a loss the client asked the dead one alone.
TEST(server_list, f84_what_counts_are_the_addresses_that_names_are_resolved_to) {
  const auto addresses_of = [](const std::string& host) {
    std::vector<std::string> all;
    for (char last = '1'; host != "none" && last <= host.back(); ++last) {
      all.push_back("10.0.0." + std::string(1, last));
    }
    return all;
  };
  const auto of = [&](std::string_view text) { return server_list::parse(text).normalised(addresses_of); };
  EXPECT_EQ(of("two2:7"), "two2:7,10.0.0.1:7");
  EXPECT_EQ(of("three3"), "three3:2181");
  EXPECT_EQ(of("none,two2:7"), "none:2181,two2:7,10.0.0.1:7");
  EXPECT_EQ(of("a1,two2"), "a1:2181,two2:2181");
  EXPECT_EQ(of("none"), "none:2181") << "the C client says that it cannot be resolved";
}

TEST(server_list, a_digit_is_resolved_to_itself) {
  EXPECT_EQ(resolved("127.0.0.1"), std::vector<std::string>{"127.0.0.1"});
}

TEST(server_list, a_server_named_twice_counts_once) {
  EXPECT_EQ(server_list::parse("a:1,b:2,a:1").distinct_count(), 2U);
  EXPECT_EQ(server_list::parse("a:1,a:2").distinct_count(), 2U);
}

class bad_server_list : public ::testing::TestWithParam<const char*> {};

TEST_P(bad_server_list, is_refused_with_an_error_that_names_it) {
  try {
    (void)server_list::parse(GetParam());
    FAIL() << "taken for good";
  } catch (const error& refused) {
    EXPECT_EQ(refused.code(), errc::invalid_server_list);
    EXPECT_NE(std::string(refused.what()).find("\"" + std::string(GetParam()) + "\""), std::string::npos)
        << refused.what();
  }
}

INSTANTIATE_TEST_SUITE_P(each, bad_server_list,
                         ::testing::Values("", " ", "/app", "a:", "a:0", "a:65536", "a:-1", "a:1x", "a:+1", ":1",
                                           "a:1,", ",a:1", "a:1,,b:2", "a b:1", "user@a:1", "[::1", "[]", "[]:1",
                                           "[a]:1", "[::1]1", "[::1]:", "[::1]:0", "::1]:1", "[[::1]]:1", "a:b:1", ":",
                                           "a:1/app/", "a:1//app", "a:1/./x", "a:1/../x", "a:1/x,b:2/y/"));

/// Where `text` is refused, in words.
std::string refusal_of(std::string_view text) {
  try {
    (void)server_list::parse(text);
  } catch (const error& refused) {
    return refused.what();
  }
  return "taken for good";
}

// Each order of the hosts would be another chroot: two clients with the same lock path would both hold.
TEST(server_list, f192_a_chroot_behind_each_host_is_refused_and_told_how_it_is_written) {
  for (const char* list : {"h1:2181/app,h2:2181/app", "h1/app,h2/app/x", "h1:1/app,h2:2", "h1/app,", "h1/app;h2/app",
                           "h1/app h2/app", "h1:1/,h2:2/"}) {
    EXPECT_NE(refusal_of(list).find("write the chroot once, behind the last host"), std::string::npos)
        << refusal_of(list);
  }
}

TEST(server_list, f192_what_is_wrong_with_it_is_told) {
  for (const auto& [list, told] :
       {std::pair{"zk://h1:2181,h2:2181/app", "begin with a host, without \"zk://\""},
        {" zookeeper://h1", "begin with a host, without \"zookeeper://\""},
        {"h1:1,h2:2/app/", "the chroot \"/app/\": it ends in '/'"},
        {"h1:1//", "the chroot \"//\": an empty part at byte 1 of 2"},
        {"h1:1/a//b", "the chroot \"/a//b\": an empty part at byte 3 of 5"},
        {"h1:1/a/..", "the chroot \"/a/..\": the part \"..\" at byte 3 of 5"},
        {"h1:1/\xff", "no valid UTF-8 at byte 1 of 2"},
        {"h1:1/\u009f", "the character U+009F, which ZooKeeper does not allow, at byte 1 of 3"},
        {"h1:1;h2:2", "',' separates servers: \"h1:1;h2:2\" is no single one"},
        {"h1:1 h2:2,h3:3", "',' separates servers: \"h1:1 h2:2\" is no single one"}}) {
    EXPECT_NE(refusal_of(list).find(told), std::string::npos) << refusal_of(list);
  }
}

TEST(server_list, a_thousand_hosts_are_taken_in_their_order) {
  std::string text;
  for (int host = 0; host < 1000; ++host) {
    text += (text.empty() ? "h" : ",h") + std::to_string(host);
  }
  const auto list = server_list::parse(text + "/app");
  EXPECT_EQ(list.distinct_count(), 1000U);
  EXPECT_EQ(list.servers().back(), "h999:2181");
  EXPECT_TRUE(normalised(text).ends_with(",h999:2181,h0:2181"));
  EXPECT_EQ(list.chroot(), "/app");
}

TEST(server_list, a_zero_byte_in_it_is_refused) {
  EXPECT_THROW((void)server_list::parse(std::string_view("a\0b:1", 5)), error);
  EXPECT_THROW((void)server_list::parse(std::string_view("a:1/\0", 5)), error);
}

}  // namespace
}  // namespace zklock::client
