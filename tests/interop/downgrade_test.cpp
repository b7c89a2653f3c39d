// F52: a writer goes on as a reader, and another writer has queued up behind it.
#include <gtest/gtest.h>

#include <string>

#include "tests/interop/beside_others.hpp"

namespace zklock::test {
namespace {

constexpr std::size_t digits = 10;
const std::string writer_marker = "__WRIT__";
const std::string reader_marker = "__READ__";

std::string number_of(const std::string& node) { return node.size() < digits ? "" : node.substr(node.size() - digits); }

class a_downgrade : public beside_others {
 protected:
  [[nodiscard]] std::string node_with(const std::string& marker) {
    for (const std::string& node : nodes()) {
      if (node.find(marker) != std::string::npos) return node;
    }
    return {};
  }
  [[nodiscard]] bool exists(const std::string& node) { return server_.look(node).has_value(); }

  peer& ours_ = start(library::zklock);
};

/// Curator's since 5.5.0, by hand: Debian has no such version. It creates the reader's node first.
class a_newer_curator {
 public:
  a_newer_curator(inspector& server, const std::string& path)
      : server_(server),
        writer_(
            server.create(path + "/_c_" + first_id + "-" + writer_marker, client::create_mode::ephemeral_sequential)) {
    reader_ = path + "/_c_" + second_id + "-" + reader_marker + number_of(writer_);
  }
  a_newer_curator(const a_newer_curator&) = delete;
  a_newer_curator& operator=(const a_newer_curator&) = delete;
  ~a_newer_curator() {
    release_writer();
    release_reader();
  }

  void begin_to_read() { server_.create(reader_, client::create_mode::ephemeral); }
  void release_writer() { server_.remove(writer_); }
  void release_reader() { server_.remove(reader_); }

 private:
  static constexpr const char* first_id = "0f9ba3f1-5d0c-4c43-a1b8-64d66b2d1a10";
  static constexpr const char* second_id = "7bdf2b0f-4f2c-4f6d-8a57-1e0b6b9f6c21";
  inspector& server_;
  const std::string writer_;
  std::string reader_;
};

TEST_F(a_downgrade, f52_of_ours_keeps_a_queued_java_writer_out_and_lets_java_readers_in) {
  peer& writer = start(library::curator);
  ASSERT_EQ(ours_.acquire(lock("write")), "held");
  const std::string written = nodes().front();
  make_wait(writer, lock("write"));

  ASSERT_EQ(ours_.downgrade(full("/lock")), "downgraded");
  EXPECT_TRUE(eventually([&] { return !exists(written); }));
  ASSERT_FALSE(writer.answers_within(300ms));
  EXPECT_EQ(number_of(node_with(reader_marker)), number_of(written));
  EXPECT_EQ(nodes().size(), 2U);
  EXPECT_EQ(ours_.ask("state read " + lock("read").paths), "held");
  EXPECT_EQ(ours_.release(lock("read")), "released");
  EXPECT_EQ(writer.answer(), "held");
  EXPECT_EQ(writer.release(lock("write")), "released");
}

TEST_F(a_downgrade, f52_of_ours_lets_readers_of_both_kinds_in_that_waited) {
  peer& java_reader = start(library::curator);
  peer& reader = start(library::zklock);
  ASSERT_EQ(ours_.acquire(lock("write")), "held");
  make_wait(java_reader, lock("read"));
  make_wait(reader, lock("read"));
  ASSERT_EQ(ours_.downgrade(full("/lock")), "downgraded");
  for (peer* one : {&java_reader, &reader}) {
    EXPECT_EQ(one->answer(), "held");
    EXPECT_EQ(one->release(lock("read")), "released");
  }
  EXPECT_EQ(ours_.release(lock("read")), "released");
}

TEST_F(a_downgrade, f52_of_curator_since_5_5_keeps_our_queued_writer_out) {
  peer& behind = start(library::zklock);
  a_newer_curator theirs(server_, full("/lock"));
  make_wait(ours_, lock("write"));
  make_wait(behind, lock("read"));
  theirs.begin_to_read();  // the pair of equal numbers is one holder
  EXPECT_FALSE(ours_.answers_within(150ms));
  theirs.release_writer();
  EXPECT_FALSE(ours_.answers_within(300ms));
  EXPECT_FALSE(behind.answers_within(150ms));
  theirs.release_reader();
  EXPECT_EQ(ours_.answer(), "held");
  EXPECT_FALSE(behind.answers_within(150ms));
  EXPECT_EQ(ours_.release(lock("write")), "released");
  EXPECT_EQ(behind.answer(), "held");
  EXPECT_EQ(behind.release(lock("read")), "released");
}

TEST_F(a_downgrade, f52_of_curator_since_5_5_lets_our_reader_in_once_its_writer_is_released) {
  a_newer_curator theirs(server_, full("/lock"));
  theirs.begin_to_read();
  make_wait(ours_, lock("read"));
  theirs.release_writer();
  EXPECT_EQ(ours_.answer(), "held");
  EXPECT_EQ(ours_.release(lock("read")), "released");
  EXPECT_EQ(ours_.acquire(lock("write"), 300ms), "not in time");
}

// An exception, as the page on layouts has it: no client that queues behind can prevent it.
TEST_F(a_downgrade, f52_of_curator_before_5_5_lets_a_queued_writer_in_beside_the_reader) {
  peer& theirs = start(library::curator);
  ASSERT_EQ(theirs.acquire(lock("write")), "held");
  make_wait(ours_, lock("write"));
  ASSERT_EQ(theirs.downgrade(full("/lock")), "downgraded");
  EXPECT_EQ(ours_.answer(), "held");
  EXPECT_EQ(nodes().size(), 2U) << "it still reads";
  EXPECT_EQ(ours_.release(lock("write")), "released");
  EXPECT_EQ(theirs.release(lock("read")), "released");
}

}  // namespace
}  // namespace zklock::test
