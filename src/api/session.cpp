#include <zklock/session.hpp>

#include <utility>

#include "src/api/acquirable_state.hpp"
#include "src/api/async_operation.hpp"
#include "src/api/connector_access.hpp"
#include "src/api/observation.hpp"
#include "src/api/option_check.hpp"
#include "src/api/session_impl.hpp"
#include "src/log/log.hpp"
#include "src/operations/local_wait.hpp"
#include "src/threads/user_code.hpp"
#include "src/zookeeper/c_client.hpp"
#include "src/zookeeper/server_list.hpp"

namespace zklock {
namespace {

std::shared_ptr<detail::session_impl> begin(std::shared_ptr<client::factory> servers, std::string root,
                                            session_options options) {
  if (!servers) {
    throw error(errc::invalid_option, "make a session of", "an empty connector");
  }
  detail::require_valid(options, servers->adopted());
  log::begin();
  auto impl = std::make_shared<detail::session_impl>(std::move(servers), std::move(root), std::move(options));
  impl->start();
  return impl;
}

std::shared_ptr<detail::session_impl> begin(std::string_view servers, session_options options) {
  client::server_list list = client::server_list::parse(servers);
  std::string root = list.chroot();
  return begin(client::c_client_factory(std::move(list)), std::move(root), std::move(options));
}

}  // namespace

std::string_view to_string(session_state state) noexcept {
  switch (state) {
    case session_state::connecting: return "connecting";
    case session_state::connected: return "connected";
    case session_state::suspended: return "suspended";
    case session_state::expired: return "expired";
    case session_state::authentication_failed: return "authentication failed";
    case session_state::closed: return "closed";
  }
  return "unknown";
}

session::session(std::string_view servers, session_options options) : impl_(begin(servers, std::move(options))) {}

session::session(connector servers, session_options options)
    : impl_(begin(detail::connector_access::servers(servers), "", std::move(options))) {}

session::~session() {
  if (impl_->forked()) {
    // The threads stayed in the parent; there is nothing here that could be closed, or joined. It is left as it is.
    static_cast<void>(new std::shared_ptr<detail::session_impl>(std::move(impl_)));
    return;
  }
  std::error_code ec;
  close(ec);
  if (ec) {
    log::write({log_level::warning, "close " + impl_->servers() + ": " + ec.message(), {}, {}, impl_->servers()});
  }
}

session_state session::state() const noexcept { return impl_->status().state(); }

bool session::wait_connected(std::chrono::nanoseconds limit, std::stop_token stop) {
  const std::shared_ptr<detail::session_impl> kept = impl_;
  return !kept->forked() && kept->status().wait_connected(limit, std::move(stop));
}

detail::calls::wait_connected::wait_connected(const session& of, wait_options with)
    : in(session_access::impl(of)), how(std::move(with)) {}

void detail::calls::wait_connected::start(std::unique_ptr<handler> told) {
  require_not_forked(*in, name, in->servers());
  const auto until = end_of_wait(how.within);
  start_async<operations::local_wait_result>(
      in, std::move(told), std::move(how.stop),
      [&](auto told_of_it) {
        return std::make_shared<operations::local_wait>([](const auto& now) { return now.connected; }, until,
                                                        std::move(told_of_it));
      },
      [kept = in](const operations::local_wait_result& result) {
        if (result.why) {
          throw error(result.why, name, kept->servers());
        }
        return result.came;
      });
}

std::chrono::milliseconds session::timeout() const noexcept { return impl_->status().timeout(); }

std::chrono::nanoseconds session::margin() const noexcept { return impl_->status().margin(); }

std::string session::last_connection_failure() const { return impl_->forked() ? std::string() : impl_->last_failure(); }

std::string session::servers() const { return impl_->servers(); }

session_observer session::observe(std::function<void(const session_change&)> observer) {
  if (impl_->forked()) {
    throw error(errc::forked, "observe", impl_->servers());
  }
  if (!observer) {
    throw error(errc::invalid_option, "observe", "null function");
  }
  const auto made =
      std::make_shared<detail::observation>(std::move(observer), impl_->options().close_time_limit, impl_->servers());
  impl_->observe(made);
  return session_observer(made);
}

lock_observer session::observe_locks(std::function<void(const lock_event&)> observer) {
  if (impl_->forked()) {
    throw error(errc::forked, "observe_locks", impl_->servers());
  }
  if (!observer) {
    throw error(errc::invalid_option, "observe_locks", "null function");
  }
  const auto made = std::make_shared<detail::lock_observation>(std::move(observer), impl_->options().close_time_limit,
                                                               impl_->servers());
  impl_->observe_locks(made);
  return lock_observer(made);
}

session_observer::session_observer(session_observer&& other) noexcept = default;

session_observer& session_observer::operator=(session_observer&& other) noexcept {
  auto ended = std::move(other.observation_);
  ended.swap(observation_);
  if (ended) {
    detail::end_observation(*ended, "an observer");
  }
  return *this;
}

session_observer::~session_observer() {
  if (observation_) {
    detail::end_observation(*observation_, "an observer");
  }
}

void session::close() {
  std::error_code ec;
  close(ec);
  if (ec) {
    throw error(ec, "close", impl_->servers());
  }
}

void session::close(std::error_code& ec) noexcept {
  const std::shared_ptr<detail::session_impl> kept = impl_;
  if (kept->forked()) {
    ec = errc::forked;
    return;
  }
  kept->close(ec);
}

}  // namespace zklock
