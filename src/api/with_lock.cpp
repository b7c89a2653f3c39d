#include <zklock/with_lock.hpp>

#include <new>
#include <string>
#include <utility>

#include <zklock/log.hpp>

#include "src/api/acquirable_state.hpp"
#include "src/api/boot_now.hpp"
#include "src/api/session_impl.hpp"
#include "src/operations/overrun.hpp"
#include "src/threads/strand.hpp"

namespace zklock::detail {

namespace {

/// What stands in the way: asked each time, since a lock whose work is to end may be lost as well.
log_line runs_on(hold& of, const std::string& servers) {
  std::string locks;
  for (const char each : of.path()) {  // of a multi-lock: a line for each part
    locks += each == '\n' ? std::string(" and ") : std::string(1, each);
  }
  const bool lost = !of.held_at(boot_now());
  const std::string what =
      lost ? " was lost, and the work under it still runs: others may hold it meanwhile"
           : " is to be given back, and the work under it still runs: nobody else gets it until then";
  return {log_level::warning, locks + what, of.path(), of.node(), servers};
}

struct overrun_watch {
  overrun_watch(std::shared_ptr<session_impl> in, std::shared_ptr<operations::overrun> what)
      : session(std::move(in)), one(std::move(what)) {}
  overrun_watch(const overrun_watch&) = delete;
  overrun_watch& operator=(const overrun_watch&) = delete;
  ~overrun_watch() {
    if (!session->forked()) {
      const own_tasks_only leaving_others;
      session->abandon(one);
    }
  }
  const std::shared_ptr<session_impl> session;
  const std::shared_ptr<operations::overrun> one;
};

}  // namespace

std::shared_ptr<void> log_overrun(const grant& held) noexcept {
  const std::shared_ptr<hold>& of = grant_access::held(held);
  const std::shared_ptr<session_impl>& session = grant_access::session(held);
  if (!of || session->forked()) {
    return nullptr;
  }
  try {
    auto says = [of, servers = session->servers()] { return runs_on(*of, servers); };
    auto one = std::make_shared<operations::overrun>(std::move(says), session->status().timeout());
    auto watch = std::make_shared<overrun_watch>(session, one);
    const own_tasks_only leaving_others;
    session->begin(std::move(one));
    return watch;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

}  // namespace zklock::detail
