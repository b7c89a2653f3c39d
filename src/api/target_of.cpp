#include "src/api/target_of.hpp"

#include <string>
#include <utility>

#include "src/api/option_check.hpp"
#include "src/api/own_address.hpp"
#include "src/port/path.hpp"

namespace zklock::detail {

std::shared_ptr<const lock_target> target_of(std::string_view path, const lock_options& options,
                                             const session_options& defaults, bool own_handle,
                                             std::shared_ptr<lock_meter> meter) {
  require_valid_path(path, "make a lock at");
  const std::string& label = options.label.value_or(defaults.label);
  require_valid_label(label);
  require_valid_long_duration(options.max_hold, "max_hold");
  auto target = std::make_shared<lock_target>();
  target->path = path;
  target->label = label;
  target->max_hold = options.max_hold;
  target->read_first = options.read_first;
  target->meter = std::move(meter);
  target->acl = wire_acl(options.acl.value_or(defaults.acl));
  if (options.acl && own_handle) {
    require_credentials(*options.acl, defaults.auth);
  }
  require_valid_layout(options.layout);
  if (options.layout == layout::curator) {
    if (label == recipes::curator_revocation) {
      throw error(make_error_code(errc::invalid_option), "label", label,
                  "in Curator's layout it asks a holder to let go");
    }
    target->layout = recipes::layout::curator;
    target->payload = label.empty() ? own_address() : label;
  }
  return target;
}

}  // namespace zklock::detail
