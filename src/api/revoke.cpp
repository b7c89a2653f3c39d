#include <optional>
#include <string>
#include <string_view>

#include <zklock/error.hpp>
#include <zklock/node.hpp>
#include <zklock/participants.hpp>
#include <zklock/transaction.hpp>

#include "recipes/contender_data.hpp"
#include "src/port/path.hpp"

namespace zklock {
namespace {

constexpr std::string_view operation = "revoke";

/// Null: it may be asked.
const char* why_not(std::string_view name, std::string_view data, const revoke_options& how) {
  switch (recipes::revocability_of(name, data)) {
    case recipes::revocability::revocable: return nullptr;
    case recipes::revocability::no_contender: return "no contender's node of a lock";
    case recipes::revocability::candidate: return "a candidate's node, whose data are the candidate's";
    case recipes::revocability::data_at_risk: break;
  }
  return how.replace_data ? nullptr
                          : "its data would be replaced, and a mutex's node may be a leader's, whose data are its "
                            "address: only with revoke_options::replace_data";
}

}  // namespace

void revoke(session& in, std::string_view node, const revoke_options& how) {
  constexpr int attempts = 5;  // others may write to it at the same time
  std::error_code ec = make_error_code(errc::node_missing);
  for (int attempt = 0; attempt < attempts; ++attempt) {
    const std::optional<node_data> seen = in.get(node, {.fresh = ec == errc::outcome_unknown});
    if (!seen) {
      throw error(make_error_code(errc::node_missing), operation, node);
    }
    const std::string_view name = detail::base_name(node);
    if (const char* const why = why_not(name, seen->data, how)) {
      throw error(make_error_code(errc::wrong_recipe), operation, node, why);
    }
    if (recipes::asks_to_let_go(seen->data, name)) {
      return;
    }
    static_cast<void>(in.transaction().set(node, recipes::with_revocation(seen->data, name), seen->version).commit(ec));
    if (!ec) {
      return;
    }
    if (ec != errc::version_mismatch && ec != errc::outcome_unknown) {
      break;
    }
  }
  throw error(ec, operation, node);
}

}  // namespace zklock
