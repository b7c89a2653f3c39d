#include <zklock/node.hpp>

#include <optional>
#include <string>
#include <utility>

#include "src/api/acquirable_state.hpp"
#include "src/api/async_operation.hpp"
#include "src/api/option_check.hpp"
#include "src/api/read_result.hpp"
#include "src/api/waited_operation.hpp"
#include "src/errors/error_of.hpp"
#include "src/port/path.hpp"

namespace zklock {
namespace {

constexpr std::string_view reading = "get";

void require_readable(std::string_view path, const get_options& how) {
  detail::require_valid_path(path, reading);
  detail::require_valid_duration(how.time_limit, "time_limit");
}

std::optional<node_data> found_or_thrown(operations::read_result&& result, std::string_view path,
                                         const detail::session_impl& in) {
  if (result.why.ec) {
    throw detail::error_with(result.why.ec, result.why.answer, reading, path, in.root());
  }
  return result.found ? std::optional(detail::data_of(std::move(*result.found))) : std::nullopt;
}

}  // namespace

std::optional<node_data> session::get(std::string_view path, const get_options& how) {
  require_readable(path, how);
  const std::shared_ptr<detail::session_impl> here = impl_;  // the session object may go
  detail::require_may_wait(*here, reading, path);
  return found_or_thrown(
      detail::read(here, std::string(path), how.fresh, detail::boot_now() + how.time_limit, how.stop), path, *here);
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

detail::calls::get::get(const session& of, std::string_view at, get_options with)
    : in(session_access::impl(of)), path(at), how(std::move(with)) {
  require_readable(path, how);
}

void detail::calls::get::start(std::unique_ptr<handler> told) {
  require_not_forked(*in, reading, path);
  const instant until = boot_now() + how.time_limit;
  start_async<operations::read_result>(
      in, std::move(told), std::move(how.stop),
      [&](auto told_of_it) {
        return std::make_shared<operations::read_node>(path, how.fresh, until, std::move(told_of_it));
      },
      [of = path, kept = in](operations::read_result&& result) {
        return found_or_thrown(std::move(result), of, *kept);
      });
}

}  // namespace zklock
