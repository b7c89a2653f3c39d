#include "examples/demo/timeline.hpp"

#include <iomanip>
#include <iostream>
#include <sstream>

namespace demo {

namespace {

std::string hexadecimal(std::int64_t token) {
  std::ostringstream text;
  text << "0x" << std::hex << token;
  return text.str();
}

}  // namespace

timeline::timeline(bool with_lock) {
  std::cout << "    at s  worker  " << (with_lock ? "token       waited s  " : "") << "number" << std::endl;
}

void timeline::show(const event& said, const ledger& books) {
  std::string what;
  switch (said.what) {
    case step::read: return show_what_was_unsaid(said, books);
    case step::wrote:
      number_ = said.number;
      what = std::to_string(books.last_hold(said.worker).found.value_or(0)) + " -> " + std::to_string(said.number);
      break;
    case step::refused:
      what = std::string("REFUSED   its ") + (said.number == 1 ? "write" : "read") +
             ", for the store has seen a greater token";
      break;
    case step::lost: what = "TOLD      that it has lost the lock: " + said.text; break;
    case step::still_held: what = "WRONG     it was refused, and yet believes that it has the lock"; break;
    default: return;
  }
  begin_line(said.at, said.worker);
  hold_columns(books.last_hold(said.worker));
  std::cout << what << std::endl;
}

void timeline::show(int worker, const std::string& event, const ledger& books) const {
  begin_line(clock::now(), worker);
  hold_columns(books.last_hold(worker));
  std::cout << event << std::endl;
}

void timeline::show_without_lock(const event& wrote, std::int64_t found) {
  begin_line(wrote.at, wrote.worker);
  std::cout << found << " -> " << wrote.number << (found != number_ ? "   overwrites another's" : "") << std::endl;
  number_ = wrote.number;
}

/// For a worker that was killed between its write and saying so: the next one to read finds it done.
void timeline::show_what_was_unsaid(const event& read, const ledger& books) {
  if (read.number == number_) return;
  for (int worker = 1; worker <= books.workers(); ++worker) {
    if (!books.killed(worker) || books.last_hold(worker).found != number_) continue;
    begin_line(read.at, worker);
    hold_columns(books.last_hold(worker));
    std::cout << number_ << " -> " << read.number << "   it had written before it was killed, as worker " << read.worker
              << " finds" << std::endl;
  }
  number_ = read.number;
}

void timeline::begin_line(clock::time_point at, int worker) const {
  const std::chrono::duration<double> passed = at - start_;
  std::cout << std::fixed << std::setprecision(3) << std::setw(8) << passed.count() << std::setw(8) << worker << "  ";
}

void timeline::hold_columns(const hold& which) const {
  const std::chrono::duration<double> waited = which.waited;
  std::cout << std::left << std::setw(12) << hexadecimal(which.token) << std::right << std::setw(8) << waited.count()
            << "  ";
}

}  // namespace demo
