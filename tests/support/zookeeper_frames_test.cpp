#include "tests/support/zookeeper_frames.hpp"

#include <gtest/gtest.h>

#include <string>

namespace zklock::test_support {
namespace {

using namespace std::string_literals;

TEST(zookeeper_frames, a_frame_is_whole_when_its_last_byte_is_there) {
  const std::string bytes = "\0\0\0\3abcd"s;
  EXPECT_EQ(whole_frame(bytes.substr(0, 3)), std::nullopt);
  EXPECT_EQ(whole_frame(bytes.substr(0, 6)), std::nullopt);
  EXPECT_EQ(whole_frame(bytes.substr(0, 7)), 7U);
  EXPECT_EQ(whole_frame(bytes), 7U);
}

TEST(zookeeper_frames, a_four_letter_word_is_no_frame) {
  EXPECT_TRUE(not_framed("mntr"));
  EXPECT_FALSE(not_framed("\0\0\0\3"s));
  EXPECT_FALSE(not_framed("mn"));
}

TEST(zookeeper_frames, a_request_tells_xid_opcode_and_path) {
  const request_frame request = parse_request("\0\0\0\x0e\0\0\1\2\0\0\0\1\0\0\0\2/a"s);
  EXPECT_EQ(request.xid, 0x102);
  EXPECT_EQ(request.opcode, opcode::create);
  EXPECT_EQ(request.path, "/a");
}

TEST(zookeeper_frames, a_multi_tells_the_path_of_its_first_operation) {
  const request_frame request =
      parse_request("\0\0\0\x17\0\0\0\7\0\0\0\x0e\0\0\0\2\0\xff\xff\xff\xff\0\0\0\2/b\xff\xff\xff\xff"s);
  EXPECT_EQ(request.opcode, opcode::multi);
  EXPECT_EQ(request.path, "/b");
}

TEST(zookeeper_frames, a_path_longer_than_its_frame_is_no_path) {
  EXPECT_EQ(parse_request("\0\0\0\x0e\0\0\1\2\0\0\0\1\0\0\0\x63/a"s).path, "");
}

TEST(zookeeper_frames, a_reply_tells_xid_zxid_and_error) {
  const reply_frame reply = parse_reply("\0\0\0\x10\0\0\0\7\0\0\0\0\0\0\1\0\xff\xff\xff\x92"s);
  EXPECT_EQ(reply.xid, 7);
  EXPECT_EQ(reply.zxid, 0x100);
  EXPECT_EQ(reply.err, -110);
}

}  // namespace
}  // namespace zklock::test_support
