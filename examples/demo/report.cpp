#include "examples/demo/report.hpp"

#include <algorithm>
#include <chrono>
#include <iomanip>
#include <iostream>

namespace demo {

namespace {

/// As a sum on paper: what each line counts, and the number.
void line(std::int64_t number, const std::string& text) { std::cout << std::setw(8) << number << "  " << text << '\n'; }

void print_sum(const ledger& books, const outcome& end) {
  std::cout << "\nThe reckoning\n";
  std::int64_t expected = books.workers() * books.increments();
  line(expected, "increments: " + std::to_string(books.workers()) + " workers x " + std::to_string(books.increments()));
  for (int worker = 1; worker <= books.workers(); ++worker) {
    if (!books.killed(worker)) continue;
    const bool unsaid = wrote_unsaid(books, worker, end.store);
    const std::int64_t missing = books.increments() - books.made(worker) - (unsaid ? 1 : 0);
    expected -= missing;
    line(-missing, "that worker " + std::to_string(worker) + " had left when it was killed" +
                       (unsaid ? " (its last write was taken, unsaid)" : ""));
  }
  line(expected, "expected");
  line(end.store.value, end.store.value == expected ? "in the store: none lost, none twice" : "in the store: WRONG");
}

long count(const ledger& books, bool hold::*what) { return std::ranges::count(books.holds(), true, what); }

void print_what_held(const ledger& books) {
  const auto longest = std::ranges::max_element(books.holds(), {}, &hold::waited);
  const std::chrono::duration<double> waited = longest->waited;
  std::cout
      << std::setprecision(1) << '\n'
      << "The lock changed hands " << books.holds().size()
      << " times. Each worker that was not told of a loss brought a greater token than all before it. No worker"
      << " waited longer than " << waited.count() << " s.\n"
      << "Lost, and the worker was told so: " << count(books, &hold::lost)
      << ". Late calls that the store refused: " << count(books, &hold::refused)
      << ". Contenders left on the server: 0.\n";
}

}  // namespace

bool report(const ledger& books, const outcome& end) {
  print_sum(books, end);
  const std::vector<std::string> wrong = faults(books, end);
  if (wrong.empty()) print_what_held(books);
  for (const std::string& each : wrong) std::cout << "WRONG: " << each << '\n';
  return wrong.empty();
}

}  // namespace demo
