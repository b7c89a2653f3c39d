#include "src/engine/spare_texts.hpp"

#include <gtest/gtest.h>

namespace zklock::engine {
namespace {

namespace request = client::request;

const std::string long_text(100, 'x');

void keep(spare_texts& all, client::any_request sent) { all.keep(sent); }

TEST(spare_texts, are_empty_and_have_the_memory_of_a_request_that_was_sent) {
  spare_texts all;
  EXPECT_EQ(all.take().capacity(), std::string().capacity()) << "there is none yet";
  keep(all, request::create{long_text, long_text});
  for (const char* from : {"the data", "the path"}) {
    const std::string text = all.take();
    EXPECT_TRUE(text.empty() && text.capacity() >= long_text.size()) << from;
  }
  EXPECT_EQ(all.take().capacity(), std::string().capacity());
}

TEST(spare_texts, are_few_and_not_of_any_size) {
  spare_texts all;
  keep(all, request::get{"/short"});
  keep(all, request::get{std::string(2'000, 'x')});
  keep(all, request::multi{{request::remove{long_text}}});
  EXPECT_EQ(all.take().capacity(), std::string().capacity()) << "a multi's are needed until it is answered";
  for (int i = 0; i < 10; ++i) {
    keep(all, request::get{long_text});
  }
  int kept = 0;
  while (all.take().capacity() >= long_text.size()) {
    ++kept;
  }
  EXPECT_EQ(kept, 4);
}

}  // namespace
}  // namespace zklock::engine
