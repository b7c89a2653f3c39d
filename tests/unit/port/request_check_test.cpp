#include "src/port/request_check.hpp"

#include <gtest/gtest.h>

#include <string>

namespace zklock::client {
namespace {

TEST(request_check, absolute_paths_of_named_parts_are_valid) {
  for (const char* path : {"/", "/a", "/a/b", "/a.b/..c", "/...", "/\xc3\xa4", "/a b"}) {
    EXPECT_TRUE(valid_path(path)) << path;
  }
}

TEST(request_check, everything_else_is_no_path) {
  for (const std::string& path : {std::string(), std::string("a"), std::string("//"), std::string("/a/"),
                                  std::string("/a//b"), std::string("/."), std::string("/a/../b"), std::string("/a/."),
                                  std::string("/a\nb"), std::string("/a\0b", 4), std::string("/\x7f")}) {
    EXPECT_FALSE(valid_path(path)) << path;
  }
}

TEST(request_check, what_the_server_completes_with_a_number_may_end_where_a_name_begins) {
  EXPECT_TRUE(valid_sequential_path("/"));
  EXPECT_TRUE(valid_sequential_path("/a/"));
  EXPECT_TRUE(valid_sequential_path("/a/."));
  EXPECT_FALSE(valid_sequential_path("/a//"));
  EXPECT_FALSE(valid_sequential_path("/../a-"));
  EXPECT_FALSE(valid_sequential_path("a-"));
  EXPECT_FALSE(valid_sequential_path(""));
}

TEST(request_check, f82_a_multi_with_a_container_or_a_bad_path_or_nothing_at_all_must_not_be_sent) {
  EXPECT_FALSE(may_be_sent(request::multi{}));
  EXPECT_FALSE(may_be_sent(request::multi{{request::create{"/c", "", create_mode::container}}}));
  EXPECT_FALSE(may_be_sent(request::multi{{request::check{"/a"}, request::remove{"/a/"}}}));
  EXPECT_TRUE(may_be_sent(request::multi{{request::check{"/a"}, request::remove{"/a/b"}}}));
  EXPECT_TRUE(may_be_sent(request::create{"/c", "", create_mode::container}));
}

TEST(request_check, f107_what_a_server_would_drop_the_connection_for_must_not_be_sent) {
  const std::string half(600'000, 'x');
  EXPECT_TRUE(may_be_sent(request::set{"/a", half}));
  EXPECT_FALSE(may_be_sent(request::set{"/a", half + half}));
  EXPECT_FALSE(may_be_sent(request::create{"/a", half + half}));
  EXPECT_FALSE(may_be_sent(request::multi{{request::set{"/a", half}, request::set{"/b", half}}}))
      << "it is the sum that counts";
  EXPECT_EQ(answer_instead_of_sending(request::set{"/a", half + half}), code::too_large);
  EXPECT_EQ(answer_instead_of_sending(request::set{"/a/", half + half}), code::bad_arguments);
}

}  // namespace
}  // namespace zklock::client
