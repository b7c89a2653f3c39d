#pragma once

#include <functional>
#include <set>
#include <string>
#include <utility>

#include "tests/sim/client_name.hpp"

namespace zklock::sim {

/// What must hold of the work of candidates, term after term, judged from what they are told to do.
///
/// | name | says |
/// |---|---|
/// | one_work_at_a_time | nobody stands, and no work begins, while the work of an earlier term runs (F130); it begins under a
/// grant |
/// | given_back_behind_the_work | no term is given back while its work runs, and none is kept at the candidate's end (F130) |
class work_checker {
 public:
  using reporter = std::function<void(std::string checker, std::string what)>;
  explicit work_checker(reporter report) : report_(std::move(report)) {}

  void stands(int client) {
    if (running_.contains(client)) {
      report_("one_work_at_a_time", client_name(client) + " stands again while its work runs");
    }
  }
  void begun(int client, bool holds) {
    if (!holds || !running_.insert(client).second) {
      report_("one_work_at_a_time",
              client_name(client) + (holds ? ", which works, " : ", without a grant, ") + "begins work");
    }
  }
  void returned(int client) { running_.erase(client); }
  void given_back(int client) {
    if (running_.contains(client)) {
      report_("given_back_behind_the_work", client_name(client) + " gives its term back while its work runs");
    }
  }
  void over(int client, bool holds) {
    if (holds || running_.contains(client)) {
      report_("given_back_behind_the_work", client_name(client) + " stands no more, and keeps its term");
    }
  }

 private:
  const reporter report_;
  std::set<int> running_;
};

}  // namespace zklock::sim
