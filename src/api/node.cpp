#include <zklock/node.hpp>

#include <optional>
#include <string>
#include <utility>

#include "src/api/option_check.hpp"
#include "src/api/read_result.hpp"
#include "src/api/waited_operation.hpp"
#include "src/errors/error_of.hpp"
#include "src/port/path.hpp"

namespace zklock {
namespace {

constexpr std::string_view reading = "get";

}  // namespace

std::optional<node_data> session::get(std::string_view path, const get_options& how) {
  detail::require_valid_path(path, reading);
  detail::require_valid_duration(how.time_limit, "time_limit");
  const std::shared_ptr<detail::session_impl> here = impl_;  // the session object may go
  detail::require_may_wait(*here, reading, path);
  auto result = detail::read(here, std::string(path), how.fresh, detail::boot_now() + how.time_limit, how.stop);
  if (result.why.ec) {
    throw detail::error_with(result.why.ec, result.why.answer, reading, path, here->root());
  }
  return result.found ? std::optional(detail::data_of(std::move(*result.found))) : std::nullopt;
}

std::optional<node_data> session::get(std::string_view path, const get_options& how, std::error_code& ec) {
  ec.clear();
  try {
    return get(path, how);
  } catch (const error& failure) {
    ec = failure.code();
    return std::nullopt;
  }
}

}  // namespace zklock
