#include "src/cli/manual.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

#include <zklock/version.hpp>

#include "src/cli/help_text.hpp"

namespace zklock::cli {
namespace {

constexpr std::array<std::string_view, 8> pages{"zklock",        "zklock-run",   "zklock-ls",     "zklock-watch",
                                                "zklock-doctor", "zklock-evict", "zklock-revoke", "zklock-elect"};

std::string escaped(std::string_view text) {
  std::string result;
  for (const char one : text) {
    if (one == '\\') {
      result += "\\e";
    } else if (one == '-') {
      result += "\\-";
    } else {
      result += one;
    }
  }
  return result.starts_with('.') || result.starts_with('\'') ? "\\&" + result : result;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// In the texts an empty line ends a paragraph, "  NAME  text" begins an item of a list, and what stands further in
/// goes on with it.
class page_text {
 public:
  void section(std::string_view title) { roff_ += ".SH " + std::string(title) + "\n"; }
  void line(std::string_view text) { roff_ += escaped(text) + "\n"; }
  void item(std::string_view term) { roff_ += ".TP\n.B " + escaped(term) + "\n"; }

  void prose(std::string_view text) {
    bool in_list = false;
    for (const std::string_view one : lines_of(text)) {
      const std::size_t indent = std::min(one.find_first_not_of(' '), one.size());
      const std::string_view words = one.substr(indent);
      const std::size_t gap = words.find("  ");
      if (words.empty() || (indent == 0 && in_list)) {
        roff_ += ".PP\n";
        in_list = false;
      }
      if (indent == 2 && gap != std::string_view::npos) {
        item(words.substr(0, gap));
        line(words.substr(words.find_first_not_of(' ', gap)));
        in_list = true;
      } else if (!words.empty()) {
        line(words);
      }
    }
  }

  void verbatim(std::string_view text) {
    roff_ += ".nf\n";
    for (const std::string_view one : lines_of(text)) {
      line(one.substr(std::min(one.find_first_not_of(' '), one.size())));
    }
    roff_ += ".fi\n";
  }

  void options(std::span<const help_text::option_text> all) {
    for (const help_text::option_text& one : all) {
      const std::string names = one.names;
      const std::size_t comma = names.find(',');
      item((comma == std::string::npos ? names : names.substr(0, comma) + ", " + names.substr(comma + 1)) +
           (*one.value == '\0' ? "" : " " + std::string(one.value)));
      line(std::string(one.brief) + ".");
      prose(one.details);
    }
  }

  [[nodiscard]] std::string take() { return std::move(roff_); }

 private:
  std::string roff_;
};

void add_header(page_text& page, std::string_view name, std::string_view does) {
  page.section("NAME");
  page.line(std::string(name) + " - " + std::string(does));
}

std::string title(std::string_view name) {
  std::string capitals(name);
  std::ranges::transform(capitals, capitals.begin(),
                         [](char one) { return one >= 'a' && one <= 'z' ? static_cast<char>(one - 'a' + 'A') : one; });
  return ".TH " + escaped(capitals) + " 1 \"\" \"zklock " ZKLOCK_VERSION_STRING "\" \"User Commands\"\n";
}

void add_main_page(page_text& page) {
  add_header(page, "zklock", "locks for shell commands, on ZooKeeper");
  page.section("SYNOPSIS");
  page.verbatim(
      "zklock [OPTIONS] run [OPTIONS] PATH... -- COMMAND [ARG...]\nzklock [OPTIONS] ls [OPTIONS] PATH\n"
      "zklock [OPTIONS] watch [--json] PATH\n"
      "zklock [OPTIONS] doctor [OPTIONS] PATH...\n"
      "zklock [OPTIONS] evict [--yes] NODE\n"
      "zklock [OPTIONS] revoke [--replace-data] NODE\n"
      "zklock [OPTIONS] elect [OPTIONS] PATH -- COMMAND [ARG...]\n"
      "zklock [OPTIONS] elect --observe [OPTIONS] PATH\n"
      "zklock --help, zklock run --help, and so with ls, watch, doctor, evict, revoke and elect; zklock --version");
  page.section("DESCRIPTION");
  page.prose(help_text::description);
  page.section("OPTIONS");
  page.options(help_text::options_of_all());
  page.section("SEE ALSO");
  page.line("zklock-run(1), zklock-ls(1), zklock-watch(1), zklock-doctor(1), zklock-evict(1), zklock-revoke(1),");
  page.line("zklock-elect(1)");
}

void add_run_page(page_text& page) {
  add_header(page, "zklock-run", "run a command while holding a lock");
  page.section("SYNOPSIS");
  page.verbatim("zklock [OPTIONS] run [OPTIONS] PATH... -- COMMAND [ARG...]");
  page.section("DESCRIPTION");
  page.prose(help_text::description_of_run);
  page.section("OPTIONS");
  page.options(help_text::options_of_run());
  page.options(help_text::options_of_all());
  page.section("ENVIRONMENT");
  page.prose(help_text::environment_of_run);
  page.section("SIGNALS");
  page.prose(help_text::signals_of_run);
  page.section("EXIT STATUS");
  page.prose(help_text::exit_statuses_of_run);
  page.section("EXAMPLES");
  page.verbatim(help_text::examples_of_run);
  page.section("SEE ALSO");
  page.line("zklock(1), zklock-ls(1), zklock-revoke(1)");
}

void add_ls_page(page_text& page) {
  add_header(page, "zklock-ls", "list the holders and the waiters of a lock");
  page.section("SYNOPSIS");
  page.verbatim("zklock [OPTIONS] ls [--long] [--recursive] [--json] [--timeout DURATION] PATH");
  page.section("DESCRIPTION");
  page.prose(help_text::description_of_ls);
  page.section("OPTIONS");
  page.options(help_text::options_of_ls());
  page.options(help_text::options_of_all());
  page.section("EXIT STATUS");
  page.prose(help_text::exit_statuses_of_ls);
  page.section("EXAMPLES");
  page.verbatim(help_text::examples_of_ls);
  page.section("SEE ALSO");
  page.line("zklock(1), zklock-run(1), zklock-watch(1), zklock-doctor(1), zklock-evict(1), zklock-revoke(1)");
}

void add_watch_page(page_text& page) {
  add_header(page, "zklock-watch", "show the holders and the waiters of a lock, live");
  page.section("SYNOPSIS");
  page.verbatim("zklock [OPTIONS] watch [--json] PATH");
  page.section("DESCRIPTION");
  page.prose(help_text::description_of_watch);
  page.section("OPTIONS");
  page.options(help_text::options_of_watch());
  page.options(help_text::options_of_all());
  page.section("EXIT STATUS");
  page.prose(help_text::exit_statuses_of_watch);
  page.section("EXAMPLES");
  page.verbatim(help_text::examples_of_watch);
  page.section("SEE ALSO");
  page.line("zklock(1), zklock-ls(1), zklock-evict(1)");
}

void add_doctor_page(page_text& page) {
  add_header(page, "zklock-doctor", "find what is wrong with locks");
  page.section("SYNOPSIS");
  page.verbatim("zklock [OPTIONS] doctor [--json] [--timeout DURATION] PATH...");
  page.section("DESCRIPTION");
  page.prose(help_text::description_of_doctor);
  page.section("OPTIONS");
  page.options(help_text::options_of_doctor());
  page.options(help_text::options_of_all());
  page.section("EXIT STATUS");
  page.prose(help_text::exit_statuses_of_doctor);
  page.section("EXAMPLES");
  page.verbatim(help_text::examples_of_doctor);
  page.section("SEE ALSO");
  page.line("zklock(1), zklock-ls(1)");
}

void add_evict_page(page_text& page) {
  add_header(page, "zklock-evict", "remove the node of a holder or a waiter");
  page.section("SYNOPSIS");
  page.verbatim("zklock [OPTIONS] evict [--yes] NODE");
  page.section("DESCRIPTION");
  page.prose(help_text::description_of_evict);
  page.section("OPTIONS");
  page.options(help_text::options_of_evict());
  page.options(help_text::options_of_all());
  page.section("EXIT STATUS");
  page.prose(help_text::exit_statuses_of_evict);
  page.section("EXAMPLES");
  page.verbatim(help_text::examples_of_evict);
  page.section("SEE ALSO");
  page.line("zklock(1), zklock-ls(1), zklock-doctor(1), zklock-revoke(1)");
}

void add_revoke_page(page_text& page) {
  add_header(page, "zklock-revoke", "ask the holder of a lock to let go");
  page.section("SYNOPSIS");
  page.verbatim("zklock [OPTIONS] revoke [--replace-data] NODE");
  page.section("DESCRIPTION");
  page.prose(help_text::description_of_revoke);
  page.section("OPTIONS");
  page.options(help_text::options_of_revoke());
  page.options(help_text::options_of_all());
  page.section("EXIT STATUS");
  page.prose(help_text::exit_statuses_of_revoke);
  page.section("EXAMPLES");
  page.verbatim(help_text::examples_of_revoke);
  page.section("SEE ALSO");
  page.line("zklock(1), zklock-run(1), zklock-ls(1), zklock-evict(1)");
}

void add_elect_page(page_text& page) {
  add_header(page, "zklock-elect", "run a command while leading, or show who leads");
  page.section("SYNOPSIS");
  page.verbatim(
      "zklock [OPTIONS] elect [OPTIONS] PATH -- COMMAND [ARG...]\nzklock [OPTIONS] elect --observe [--json] PATH");
  page.section("DESCRIPTION");
  page.prose(help_text::description_of_elect);
  page.section("OPTIONS");
  page.options(help_text::options_of_elect());
  page.options(help_text::options_of_all());
  page.section("ENVIRONMENT");
  page.prose(help_text::environment_of_elect);
  page.section("SIGNALS");
  page.prose(help_text::signals_of_elect);
  page.section("EXIT STATUS");
  page.prose(help_text::exit_statuses_of_elect);
  page.section("EXAMPLES");
  page.verbatim(help_text::examples_of_elect);
  page.section("SEE ALSO");
  page.line("zklock(1), zklock-run(1), zklock-ls(1)");
}

}  // namespace

std::span<const std::string_view> manual_pages() noexcept { return pages; }

std::string manual_page(std::string_view name) {
  page_text page;
  if (name == "zklock") {
    add_main_page(page);
  } else if (name == "zklock-run") {
    add_run_page(page);
  } else if (name == "zklock-ls") {
    add_ls_page(page);
  } else if (name == "zklock-watch") {
    add_watch_page(page);
  } else if (name == "zklock-doctor") {
    add_doctor_page(page);
  } else if (name == "zklock-evict") {
    add_evict_page(page);
  } else if (name == "zklock-revoke") {
    add_revoke_page(page);
  } else if (name == "zklock-elect") {
    add_elect_page(page);
  } else {
    throw std::invalid_argument("no manual page: " + std::string(name));
  }
  return title(name) + page.take();
}

}  // namespace zklock::cli
