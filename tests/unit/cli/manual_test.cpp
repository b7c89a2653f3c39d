#include "src/cli/manual.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include "src/cli/help_text.hpp"

namespace zklock::cli {
namespace {

std::string content_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string in_roff(std::string text) {
  for (std::size_t at = 0; (at = text.find('-', at)) != std::string::npos; at += 2) {
    text.insert(at, "\\");
  }
  return text;
}

TEST(the_manual, has_every_option_that_help_has) {
  for (const auto& [page, options] : {std::pair(manual_page("zklock"), help_text::options_of_all()),
                                      {manual_page("zklock-run"), help_text::options_of_run()},
                                      {manual_page("zklock-run"), help_text::options_of_all()},
                                      {manual_page("zklock-ls"), help_text::options_of_ls()},
                                      {manual_page("zklock-ls"), help_text::options_of_all()},
                                      {manual_page("zklock-watch"), help_text::options_of_watch()},
                                      {manual_page("zklock-watch"), help_text::options_of_all()},
                                      {manual_page("zklock-doctor"), help_text::options_of_doctor()},
                                      {manual_page("zklock-doctor"), help_text::options_of_all()},
                                      {manual_page("zklock-evict"), help_text::options_of_evict()},
                                      {manual_page("zklock-evict"), help_text::options_of_all()},
                                      {manual_page("zklock-elect"), help_text::options_of_elect()},
                                      {manual_page("zklock-elect"), help_text::options_of_all()}}) {
    for (const help_text::option_text& one : options) {
      EXPECT_NE(page.find(in_roff(one.brief) + "."), std::string::npos) << one.names;
    }
    for (const char* section : {".TH ZKLOCK", ".SH NAME", ".SH SYNOPSIS", ".SH DESCRIPTION", ".SH SEE ALSO"}) {
      EXPECT_NE(page.find(section), std::string::npos) << section;
    }
  }
  EXPECT_THROW(static_cast<void>(manual_page("zklock-walk")), std::invalid_argument);
}

TEST(the_manual, makes_lists_paragraphs_and_examples_of_the_texts) {
  const std::string run = manual_page("zklock-run");
  EXPECT_NE(run.find(".TP\n.B 79\nthe lock was lost while COMMAND ran\n.TP\n.B 126\n"), std::string::npos) << run;
  EXPECT_NE(run.find(".nf\nzklock run /locks/nightly \\-\\- ./backup \\-\\-full\n"), std::string::npos) << run;
  const std::string others = manual_page("zklock-ls") + manual_page("zklock-watch") + manual_page("zklock-doctor") +
                             manual_page("zklock-evict") + manual_page("zklock-elect") + manual_page("zklock");
  for (std::istringstream lines(run + others); lines;) {
    std::string line;
    std::getline(lines, line);
    EXPECT_FALSE(line.starts_with(' ') || line.starts_with('\'')) << line;
  }
}

TEST(the_completions, know_every_option) {
  for (const char* file : {"zklock", "_zklock"}) {
    const std::string script = content_of(std::string(ZKLOCK_COMPLETIONS) + "/" + file);
    for (const auto options : {help_text::options_of_all(), help_text::options_of_run(), help_text::options_of_ls(),
                               help_text::options_of_watch(), help_text::options_of_doctor(),
                               help_text::options_of_evict(), help_text::options_of_elect()}) {
      for (const help_text::option_text& one : options) {
        const std::string names = one.names;
        if (const std::size_t at = names.find("--"); at != std::string::npos) {
          EXPECT_NE(script.find(names.substr(at)), std::string::npos) << names << " in " << file;
        }
      }
    }
  }
}

}  // namespace
}  // namespace zklock::cli
