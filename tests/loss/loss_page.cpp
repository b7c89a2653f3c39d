#include "tests/loss/loss_page.hpp"

#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "tests/loss/statistics.hpp"

namespace zklock::test {
namespace {

constexpr const char* begin_mark = "<!-- measured: begin -->\n";
constexpr const char* end_mark = "<!-- measured: end -->\n";

/// "4 s", "1.7 s".
std::string seconds(std::chrono::milliseconds value) {
  std::ostringstream text;
  text << std::chrono::duration<double>(value).count() << " s";
  return text.str();
}

std::string count_of(std::size_t some, const played& of) {
  return std::to_string(some) + " of " + std::to_string(of.runs.size());
}

/// What happened when the hold was lost.
void lost_row(std::ostream& out, const played& one) {
  sample last_yes, told, until, gone, granted, margin, to_the_end, gap;
  tally reasons;
  std::size_t lost = 0;
  for (const findings& run : one.runs) {
    if (run.survived) continue;
    ++lost;
    last_yes.add(run.holder.last_yes - run.fault);
    until.add(run.holder.valid_until - run.fault);
    if (run.holder.noticed) told.add(*run.holder.noticed - run.fault);
    margin.add(run.margin);
    if (run.deleted) gone.add(*run.deleted - run.fault);
    if (run.deleted && ended_by_the_deadline(*one.way, run)) to_the_end.add(*run.deleted - run.holder.valid_until);
    granted.add(run.granted - run.fault);
    gap.add(run.granted - run.holder.last_yes);
    reasons.add(std::string(to_string(run.holder.reason)));
  }
  if (lost == 0) return;
  out << "| " << one.way->name << " | " << seconds(one.way->timeout) << " | " << count_of(lost, one) << " | "
      << reasons.text() << " | " << last_yes.spread() << " | " << told.spread() << " | " << until.spread() << " | "
      << gone.spread() << " | " << granted.spread() << " | " << margin.least() << " | " << to_the_end.spread()
      << " | **" << gap.spread() << "** |\n";
}

/// What happened when it was not.
void survived_row(std::ostream& out, const played& one) {
  sample lead, gap;
  std::size_t survived = 0;
  for (const findings& run : one.runs) {
    if (!run.survived) continue;
    ++survived;
    lead.add(run.holder.least_lead);
    gap.add(run.granted - run.holder.last_yes);
  }
  if (survived == 0) return;
  out << "| " << one.way->name << " | " << seconds(one.way->timeout) << " | " << count_of(survived, one) << " | "
      << lead.spread() << " | " << gap.spread() << " |\n";
}

void words_row(std::ostream& out, const played& one) {
  tally at_the_fault, after, elsewhere, fellow;
  sample back;
  for (const findings& run : one.runs) {
    at_the_fault.add(run.reentry_at_the_fault);
    after.add(run.reentry_after_the_loss);
    elsewhere.add(run.elsewhere_at_the_fault);
    fellow.add(run.fellow);
    if (run.back && !run.survived) back.add(*run.back - run.granted);
  }
  out << "| " << one.way->name << " | " << at_the_fault.text() << " | " << after.text() << " | " << elsewhere.text()
      << " | " << fellow.text() << " | " << back.spread() << " |\n";
}

/// Of a process that was stopped, what counts is when it goes on.
void continued_line(std::ostream& out, const played& one) {
  sample first_no;
  for (const findings& run : one.runs) {
    if (run.continued && run.holder.first_no) first_no.add(*run.holder.first_no - *run.continued);
  }
  if (first_no.empty()) return;
  out << "\n*" << one.way->name << "*: its first question after it went on was answered with no,\n"
      << first_no.spread() << " s after `SIGCONT`.\n";
}

}  // namespace

std::string tables_of(const std::vector<played>& all) {
  std::ostringstream out;
  out << "Runs of each way: " << (all.empty() ? 0 : all.front().runs.size())
      << ". Servers: tick 0.5 s, syncLimit 4 unless said. Machine: " << std::thread::hardware_concurrency()
      << " processors,\nshared by the servers, the holders and all else; all on the loopback interface.\n\n"
      << "### Lost\n\nSeconds after the fault; least / median / greatest.\n\n"
      << "| way | T | lost | reason | last `held()` = yes | `lost()` told | `valid_until()` | node gone | next one "
         "granted | margin | `valid_until()` → node gone | "
         "**last yes → next grant** |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n";
  for (const played& one : all) lost_row(out, one);
  for (const played& one : all) continued_line(out, one);
  out << "\n### Not lost\n\nSeconds; least / median / greatest.\n\n"
      << "| way | T | survived | nearest that `valid_until()` came | last yes → next grant, at the release |\n"
      << "|---|---|---|---|---|\n";
  for (const played& one : all) survived_row(out, one);
  out << "\n### What calls say\n\n"
      << "| way | `lock()` by the owner, right after the fault | the same after the loss | "
         "another lock, for T/3 | a waiter of the same session | the loser holds again, s after the next one did |\n"
      << "|---|---|---|---|---|---|\n";
  for (const played& one : all) words_row(out, one);
  return out.str();
}

void write_into_page(const std::filesystem::path& page, const std::string& tables) {
  std::ifstream in(page);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::size_t begin = text.find(begin_mark);
  const std::size_t end = text.find(end_mark);
  if (begin == std::string::npos || end == std::string::npos || end < begin) {
    throw std::runtime_error(page.string() + " has no marks for the tables");
  }
  const std::size_t from = begin + std::string(begin_mark).size();
  text.replace(from, end - from, "\n" + tables + "\n");
  std::ofstream(page, std::ios::trunc) << text;
}

}  // namespace zklock::test
