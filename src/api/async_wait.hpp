#pragma once

#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "src/api/async_operation.hpp"
#include "src/api/latest_view.hpp"
#include "src/operations/local_wait.hpp"

namespace zklock::detail {

/// latest_view::wait() without a thread: told what `finish` makes of the view for which `wanted` is true, or of nothing.
template <class View, class Slot, class Wanted, class Finish>
void start_wait(const std::shared_ptr<session_impl>& in, std::unique_ptr<answer_handler<std::optional<View>>> told,
                const std::shared_ptr<Slot>& slot, Wanted wanted, const wait_options& how, const char* operation,
                const std::string& path, Finish finish) {
  struct found {
    std::optional<View> seen;
    std::error_code over;
  };
  const auto what = std::make_shared<found>();
  const auto call = make_async<operations::local_wait_result>(
      in, std::move(told),
      [what, operation, path, finish = std::move(finish)](const operations::local_wait_result& result) {
        if (const std::error_code why = what->over ? what->over : result.why; why && !what->seen) {
          throw error(why, operation, path);
        }
        return finish(std::move(what->seen));
      });
  const auto wait = std::make_shared<operations::local_wait>(
      [what, slot, wanted](const engine::session_facts&) { return slot->look(wanted, what->seen, what->over); },
      end_of_wait(how.within), call);
  slot->wake_at_changes(wait);
  call->start(wait, how.stop, [&] { in->begin(wait); });
}

}  // namespace zklock::detail
