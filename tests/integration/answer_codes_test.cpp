// Answers that a proxy changes on their way: codes that a server gives when something is wrong with it.
#include <gtest/gtest.h>

#include <zklock/zklock.hpp>

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

#include "recipes/code.hpp"
#include "tests/integration/on_a_server.hpp"

namespace zklock::test {
namespace {

using recipes::code;

class an_answer : public on_a_server {
 protected:
  /// The next request of this kind for a contender is done, and answered with this code.
  void say_once(proxy& way, std::int32_t to, code what) {
    said_ = false;
    way.rewrite_replies([this, to, what](const reply_frame& answer, std::string& frame) {
      const bool meant = answer.opcode == to && answer.err == 0 && answer.path.find("-lock-") != std::string::npos;
      if (!meant || said_.exchange(true)) return;
      const auto number = static_cast<std::uint32_t>(what);
      for (std::size_t place = 0; place < 4; ++place) {
        frame.at(err_at + place) = static_cast<char>(number >> (24 - 8 * place) & 0xFF);
      }
    });
  }
  [[nodiscard]] bool said() const { return said_; }

 private:
  static constexpr std::size_t err_at = 4 + 4 + 8;  // behind the length, xid and zxid
  std::atomic<bool> said_ = false;
};

TEST_F(an_answer, f153_that_says_nothing_of_a_create_or_a_removal_that_was_done_is_looked_into) {
  for (const code what : {code::marshalling_error, code::runtime_inconsistency}) {
    proxy& way = new_proxy();
    recursive_mutex lock(open_through(way), "/lock");
    lock.acquire().release();
    say_once(way, opcode::create2, what);
    grant held = acquire_patiently(lock);
    EXPECT_TRUE(said());
    ASSERT_TRUE(held.held()) << recipes::name(what);
    EXPECT_EQ(contenders().size(), 1U);
    say_once(way, opcode::remove, what);
    std::error_code ec;
    held.release(ec);
    EXPECT_TRUE(said());
    EXPECT_FALSE(ec) << recipes::name(what) << ": " << ec.message();
    EXPECT_TRUE(contenders().empty());
    way.rewrite_replies({});
  }
}

}  // namespace
}  // namespace zklock::test
