#include "src/api/transaction_draft.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "src/api/blocking_receiver.hpp"
#include "src/api/option_check.hpp"
#include "src/errors/printable.hpp"
#include "src/port/path.hpp"

namespace zklock::detail {
namespace {

namespace request = client::request;

constexpr std::string_view committing = "commit a transaction";
constexpr std::string_view guarding = "commit a transaction guarded by";

constexpr bool is_sequential(create_mode mode) noexcept {
  return mode == create_mode::persistent_sequential || mode == create_mode::ephemeral_sequential;
}

client::create_mode translated(create_mode mode) noexcept {
  switch (mode) {
    case create_mode::persistent: return client::create_mode::persistent;
    case create_mode::ephemeral: return client::create_mode::ephemeral;
    case create_mode::persistent_sequential: return client::create_mode::persistent_sequential;
    case create_mode::ephemeral_sequential: return client::create_mode::ephemeral_sequential;
  }
  return client::create_mode::persistent;
}

std::string quoted(std::string_view text) { return "\"" + printable(text) + "\""; }

const std::string& path_of(const request::operation& what) {
  return std::visit([](const auto& one) -> const std::string& { return one.path; }, what);
}

std::string name_of(const request::operation& what) {
  struct namer {
    std::string operator()(const request::create&) const { return "create"; }
    std::string operator()(const request::set&) const { return "set"; }
    std::string operator()(const request::remove&) const { return "remove"; }
    std::string operator()(const request::check&) const { return "check"; }
  };
  return std::visit(namer{}, what);
}

transaction_draft::problem problem_of(const operations::transaction_failure& why,
                                      const std::vector<request::operation>& operations) {
  transaction_draft::problem told{why.ec, why.answer, std::string(committing), {}};
  switch (why.part) {
    case operations::transaction_failure::at::whole: break;
    case operations::transaction_failure::at::guard:
      told.operation = guarding;
      told.about = in_one_line(why.lock);
      break;
    case operations::transaction_failure::at::operation:
      told.operation = name_of(operations[why.place]);
      told.about = path_of(operations[why.place]);
      break;
  }
  return told;
}

operation_result result_of(const request::operation& asked, const client::part_result& done) {
  if (std::holds_alternative<request::create>(asked)) {
    return {done.name, 0};
  }
  return {path_of(asked), std::holds_alternative<request::set>(asked) ? done.stat.version : any_version};
}

}  // namespace

// ---- what is asked --------------------------------------------------------------------------------------------------

void transaction_draft::add_guard(const std::shared_ptr<session_impl>& of, const std::shared_ptr<hold>& by) {
  if (!by) {
    note({errc::not_owner, recipes::code::ok, std::string(guarding), "an empty grant"});
  } else if (of != session) {
    note({errc::wrong_session, recipes::code::ok, std::string(guarding), in_one_line(by->path())});
  } else if (std::find(guards.begin(), guards.end(), by) == guards.end()) {
    guards.push_back(by);
  }
}

void transaction_draft::add_create(std::string_view path, std::string_view data, create_mode mode) {
  const std::string completed = std::string(path) + (is_sequential(mode) ? "0" : "");
  if (std::string fault = fault_of_path(completed); !fault.empty()) {
    note({errc::invalid_path, recipes::code::ok, "create", quoted(path), std::move(fault)});
    return;
  }
  operations.emplace_back(
      request::create{std::string(path), std::string(data), translated(mode), wire_acl(session->options().acl)});
}

void transaction_draft::add_set(std::string_view path, std::string_view data, std::int32_t version) {
  add(path, "set", version, request::set{std::string(path), std::string(data), version});
}

void transaction_draft::add_remove(std::string_view path, std::int32_t version) {
  add(path, "remove", version, request::remove{std::string(path), version});
}

void transaction_draft::add_check(std::string_view path, std::int32_t version) {
  add(path, "check", version, request::check{std::string(path), version});
}

void transaction_draft::add(std::string_view path, std::string_view operation, std::int32_t version,
                            request::operation what) {
  if (std::string fault = fault_of_path(path); !fault.empty()) {
    note({errc::invalid_path, recipes::code::ok, std::string(operation), quoted(path), std::move(fault)});
  } else if (version < any_version) {
    note({errc::invalid_option, recipes::code::ok, std::string(operation),
          std::string(path) + " at version = " + std::to_string(version)});
  } else {
    operations.push_back(std::move(what));
  }
}

void transaction_draft::note(problem found) {
  if (!mistake.ec) {
    mistake = std::move(found);
  }
}

// ---- what becomes of it ---------------------------------------------------------------------------------------------

transaction_draft::outcome transaction_draft::commit() {
  problem found = problem_before_sending();
  if (!found.ec && session->on_client_thread()) {  // the answer would come to this very thread
    found = {errc::would_deadlock, recipes::code::ok, std::string(committing), {}};
  }
  if (found.ec) {
    return {{}, std::move(found)};
  }
  blocking_receiver<operations::transaction_result> told;
  begin(told.shared());
  return outcome_of(told.wait());
}

void transaction_draft::begin(std::shared_ptr<operations::receiver<operations::transaction_result>> told) {
  session->begin_transaction(std::make_shared<operations::commit>(std::move(guards), operations, std::move(told)));
}

transaction_draft::outcome transaction_draft::outcome_of(const operations::transaction_result& result) const {
  if (result.failure.ec == errc::lost) {
    session->meter().guarded_writes_refused.add();
  }
  if (result.failure.ec) {
    return {{}, problem_of(result.failure, operations)};
  }
  outcome done;
  for (std::size_t place = 0; place < operations.size(); ++place) {
    done.results.push_back(result_of(operations[place], result.results[place]));
  }
  return done;
}

transaction_draft::problem transaction_draft::problem_before_sending() const {
  if (session->forked()) {
    return {errc::forked, recipes::code::ok, std::string(committing), {}};
  }
  if (mistake.ec) {
    return mistake;
  }
  if (operations.empty()) {
    return {errc::invalid_option, recipes::code::ok, std::string(committing), "of no operation"};
  }
  return {};
}

}  // namespace zklock::detail
