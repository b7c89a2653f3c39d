#include "src/testing/log_entry.hpp"

#include <utility>
#include <variant>

namespace zklock::testing {
namespace {

namespace request = client::request;

/// Runs the parts one by one on the leader's tree, so that each sees what those before it did.
class runner {
 public:
  runner(data_tree& tree, std::int64_t session, const data_tree::identities& caller, std::int64_t zxid)
      : tree_(tree), session_(session), caller_(caller), zxid_(zxid) {}

  code operator()(const request::create& what) {
    change next;
    const code result = apply_if_ok(tree_.plan(what, session_, caller_, next), std::move(next));
    if (result == code::ok) {
      name_ = changes_.back().path;
      stat_ = tree_.find(name_)->visible_stat();
    }
    return result;
  }
  code operator()(const request::set& what) {
    change next;
    const code result = apply_if_ok(tree_.plan(what, caller_, next), std::move(next));
    if (result == code::ok) stat_ = tree_.find(what.path)->visible_stat();
    return result;
  }
  code operator()(const request::remove& what) {
    change next;
    return apply_if_ok(tree_.plan(what, caller_, next), std::move(next));
  }
  code operator()(const request::check& what) { return tree_.plan(what, caller_); }

  client::part_result part(const request::operation& what) {
    name_.clear();
    stat_ = {};
    client::part_result out;
    out.code = std::visit(*this, what);
    out.name = name_;
    if (std::holds_alternative<request::set>(what)) out.stat = stat_;  // the client's multi has no create2
    return out;
  }
  void revert() {
    while (!undone_.empty()) {
      tree_.revert(std::move(undone_.back()));
      undone_.pop_back();
    }
    changes_.clear();
  }

  std::string name_;
  client::stat stat_;
  std::vector<change> changes_;

 private:
  code apply_if_ok(code planned, change&& next) {
    if (planned != code::ok) return planned;
    undone_.push_back(tree_.apply_revertible(next, zxid_));
    changes_.push_back(std::move(next));
    return code::ok;
  }

  data_tree& tree_;
  std::int64_t session_;
  const data_tree::identities& caller_;
  std::int64_t zxid_;
  std::vector<data_tree::undo> undone_;
};

/// Parts before the first that failed are told ok, those behind it -2, and nothing is applied.
client::reply run_multi(runner& with, const request::multi& what) {
  client::reply out;
  for (const request::operation& operation : what.operations) {
    if (out.code != code::ok) {
      out.parts.push_back({code::runtime_inconsistency, {}, {}});
      continue;
    }
    out.parts.push_back(with.part(operation));
    out.code = out.parts.back().code;
  }
  if (out.code == code::ok) return out;
  with.revert();
  for (client::part_result& part : out.parts) part = {part.code, {}, {}};
  return out;
}

}  // namespace

log_entry run(data_tree& tree, const client::any_request& what, std::int64_t session,
              const data_tree::identities& caller, std::int64_t zxid) {
  log_entry out;
  out.zxid = zxid;
  runner with(tree, session, caller, zxid);
  if (const auto* multi = std::get_if<request::multi>(&what)) {
    out.reply = run_multi(with, *multi);
  } else if (const auto* create = std::get_if<request::create>(&what)) {
    out.reply.code = with(*create);
    out.reply.name = std::move(with.name_);
    out.reply.stat = with.stat_;
  } else if (const auto* set = std::get_if<request::set>(&what)) {
    out.reply.code = with(*set);
    out.reply.stat = with.stat_;
  } else if (const auto* remove = std::get_if<request::remove>(&what)) {
    out.reply.code = with(*remove);
  }
  out.changes = std::move(with.changes_);
  return out;
}

bool is_write(const client::any_request& what) noexcept {
  return std::holds_alternative<request::create>(what) || std::holds_alternative<request::set>(what) ||
         std::holds_alternative<request::remove>(what) || std::holds_alternative<request::multi>(what);
}

}  // namespace zklock::testing
