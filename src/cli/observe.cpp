#include "src/cli/observe.hpp"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <future>
#include <string>

#include <zklock/zklock.hpp>

#include "src/cli/asking.hpp"
#include "src/cli/connect_limit.hpp"
#include "src/cli/credentials.hpp"
#include "src/cli/exit_status.hpp"
#include "src/cli/leader_output.hpp"
#include "src/cli/library_log.hpp"
#include "src/cli/print_error.hpp"

namespace zklock::cli {
namespace {

/// Why it cannot go on.
struct ending {
  int status = exit_status::internal_error;
  std::string message{};
};

/// What is told it, first of all threads, ends the process.
class end_of_process {
 public:
  void tell(ending why) {
    if (!told_.exchange(true)) {
      promise_.set_value(std::move(why));
    }
  }
  [[nodiscard]] ending wait() { return promise_.get_future().get(); }

 private:
  std::atomic<bool> told_{false};
  std::promise<ending> promise_;
};

}  // namespace

int observe(const observe_arguments& wanted) {
  set_library_log(wanted.verbose);
  const terminal_characters characters;
  end_of_process end;
  try {
    session session(wanted.servers, with_access(wanted.access, {.timeout = session_timeout_of_asking}));
    const session_observer states = session.observe([&](const session_change& change) {
      if (change.state == session_state::authentication_failed) {
        end.tell({exit_status::unavailable, make_error_code(errc::authentication_failed).message()});
      }
    });
    const election_observer observer(session, wanted.path, [&](const leader_view& now) {
      if (now.is == leader_view::state::unknown) {
        return;
      }
      if (!print_text(wanted.json ? as_json_line(now) : as_line(now, characters))) {
        end.tell({exit_status::internal_error, std::string("stdout: ") + std::strerror(errno)});
      }
    });
    if (!session.wait_connected_for(connect_limit(wanted.servers, session_timeout_of_asking))) {
      const bool refused = session.state() == session_state::authentication_failed;
      throw error(make_error_code(refused ? errc::authentication_failed : errc::not_connected), "connect to",
                  wanted.servers, session.last_connection_failure());
    }
    const ending why = end.wait();
    print_error(why.message);
    return why.status;
  } catch (const error& failure) {
    print_error(failure.what());
    return exit_status::of(failure.code());
  }
}

}  // namespace zklock::cli
