#include "examples/demo/verdict.hpp"

#include <algorithm>
#include <csignal>
#include <sstream>

namespace demo {

namespace {

using texts = std::vector<std::string>;

std::string name(int worker) { return "worker " + std::to_string(worker); }

std::string ending(int status) {
  return status > 128 ? "signal " + std::to_string(status - 128) : "exit status " + std::to_string(status);
}

/// Those that read, in the order of their tokens, which is the order in which the store let them.
std::vector<hold> readers(const ledger& books) {
  std::vector<hold> all;
  std::ranges::copy_if(books.holds(), std::back_inserter(all), [](const hold& each) { return each.found.has_value(); });
  std::ranges::sort(all, {}, &hold::token);
  return all;
}

/// What the store had taken when that reader's turn was over: the next one found it, or it is still there.
std::int64_t left_behind(const std::vector<hold>& all, std::size_t index, const token_store::contents& store) {
  return index + 1 < all.size() ? *all[index + 1].found : store.value;
}

void check_steps(const ledger& books, const token_store::contents& store, texts& wrong) {
  const std::vector<hold> all = readers(books);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const hold& each = all[i];
    const bool may_have_written = books.killed(each.worker) && !each.ended;
    const std::int64_t step = left_behind(all, i, store) - *each.found;
    if (step != (each.wrote ? 1 : 0) && !(may_have_written && step == 1)) {
      wrong.push_back(name(each.worker) + " read " + std::to_string(*each.found) + (each.wrote ? " and wrote" : "") +
                      ", then there were " + std::to_string(left_behind(all, i, store)));
    }
  }
}

void check_sum(const ledger& books, const token_store::contents& store, texts& wrong) {
  std::int64_t taken = books.made();
  for (int worker = 1; worker <= books.workers(); ++worker) taken += wrote_unsaid(books, worker, store) ? 1 : 0;
  if (store.value != taken) {
    wrong.push_back("the store says " + std::to_string(store.value) + " after " + std::to_string(taken) +
                    " increments that it has taken");
  }
  const std::vector<hold> all = readers(books);
  if (all.empty() || all.back().token != store.token) {
    wrong.push_back("the store's mark is not the token of its last reader");
  }
}

/// A smaller one is right only for a worker that was so late to say it that it had lost the lock by then.
void check_tokens(const ledger& books, const outcome& end, texts& wrong) {
  std::int64_t greatest = 0;
  for (const hold& each : books.holds()) {
    if (each.token <= greatest && !each.lost) {
      wrong.push_back(name(each.worker) + " got a token that is not greater than the one before it");
    }
    greatest = std::max(greatest, each.token);
  }
  if (!end.newcomer_token) {
    wrong.emplace_back("a contender is left on the server: the next client has to wait");
  } else if (*end.newcomer_token <= greatest) {
    wrong.emplace_back("the newcomer at the end got a token that is not greater than the workers'");
  }
}

void check_losses(const ledger& books, texts& wrong) {
  for (const hold& each : books.holds()) {
    if (each.said_still_held) wrong.push_back(name(each.worker) + " was refused, and believed that it had the lock");
  }
  const auto refused_and_told = [&](const hold& each) {
    return books.frozen(each.worker) && each.found && each.refused && each.lost;
  };
  if (std::ranges::none_of(books.holds(), refused_and_told)) {
    wrong.emplace_back("no late write was refused and its worker told so");
  }
}

void check_ends(const ledger& books, const std::vector<int>& statuses, texts& wrong) {
  int killed = 0;
  for (int worker = 1; worker <= books.workers(); ++worker) {
    const int status = statuses.at(static_cast<std::size_t>(worker - 1));
    const int expected = books.killed(worker) ? 128 + SIGKILL : 0;
    killed += books.killed(worker) ? 1 : 0;
    if (status != expected) wrong.push_back(name(worker) + " ended with " + ending(status));
    if (books.left(worker) != 0) {
      wrong.push_back(name(worker) + " has " + std::to_string(books.left(worker)) + " increments left");
    }
    if (books.done(worker) == books.killed(worker)) wrong.push_back(name(worker) + " has not said that it is done");
  }
  if (killed == 0) wrong.emplace_back("no worker was killed");
}

}  // namespace

bool wrote_unsaid(const ledger& books, int killed, const token_store::contents& store) {
  if (!books.killed(killed)) return false;
  const hold& last = books.last_hold(killed);
  if (last.wrote || !last.found) return false;
  const std::vector<hold> all = readers(books);
  const auto place = std::ranges::find(all, last.token, &hold::token);
  return left_behind(all, static_cast<std::size_t>(place - all.begin()), store) == *last.found + 1;
}

std::vector<std::string> faults(const ledger& books, const outcome& end) {
  texts wrong;
  check_ends(books, end.statuses, wrong);
  check_steps(books, end.store, wrong);
  check_sum(books, end.store, wrong);
  check_tokens(books, end, wrong);
  check_losses(books, wrong);
  return wrong;
}

}  // namespace demo
