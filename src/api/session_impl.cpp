#include "src/api/session_impl.hpp"

#include <utility>

#include "src/api/lock_owners.hpp"
#include "src/errors/printable.hpp"
#include "src/log/log.hpp"
#include "src/operations/hand_over.hpp"

namespace zklock::detail {
namespace {

session_config config_of(const session_options& options, std::string root) {
  session_config config;
  config.root = std::move(root);
  config.timeout = options.timeout;
  config.margin = options.margin;
  config.tick = options.tick;
  if (!options.auth.empty()) {
    config.auth_scheme = "digest";
    config.auth_credentials = options.auth;
  }
  return config;
}

}  // namespace

session_impl::session_impl(std::shared_ptr<client::factory> servers, std::string root, session_options options)
    : root_(std::move(root)),
      options_(std::move(options)),
      servers_(servers),
      fork_generation_(detail::fork_generation()),
      runner_(std::move(servers), config_of(options_, root_)) {}

session_impl::~session_impl() {
  if (runner_.running()) {
    static_cast<void>(runner_.close(options_.close_time_limit));
  }
}

std::string session_impl::last_failure() const {
  if (status().state() == session_state::connected) {
    return {};  // a handle that is being closed may still meet something
  }
  std::string refusal = status().refusal();
  return refusal.empty() ? servers_->last_failure() : refusal;
}

std::shared_ptr<lock_meter> session_impl::meter_of(std::string_view name, lock_class what) {
  if (forked()) {
    return nullptr;  // the mutex may stay locked for ever
  }
  bool first_of_others = false;
  auto found = meters_.of(name, what, first_of_others);
  if (first_of_others) {
    log::write({log_level::warning,
                "lock_options::name \"" + printable(name) + "\": there are " + std::to_string(lock_meters::names_max) +
                    " names already, all further ones are counted as \"other\"",
                {},
                {},
                servers()});
  }
  return found;
}

void session_impl::begin(std::shared_ptr<engine::operation> wanted) {
  runner_.run(
      [wanted = std::move(wanted)](engine::session_engine& engine, auto&, instant now) { engine.begin(wanted, now); });
}

void session_impl::begin_acquire(std::shared_ptr<operations::acquire> wanted) {
  runner_.run([wanted = std::move(wanted)](auto&, operations::lock_operations& locks, instant now) {
    locks.begin_acquire(wanted, now);
  });
}

void session_impl::begin_transaction(std::shared_ptr<operations::commit> wanted) {
  runner_.run([wanted = std::move(wanted)](auto&, operations::lock_operations& locks, instant now) {
    locks.begin_transaction(wanted, now);
  });
}

void session_impl::wake(const std::shared_ptr<operations::turn_wait>& one) {
  runner_.run([one](engine::session_engine& all, auto&, instant now) {
    one->wake();
    all.call(one->number(), now, [&one](engine::operation&, engine::out& wants) { one->go_on(wants); });
  });
}

void session_impl::abandon(const std::shared_ptr<engine::operation>& unwanted) {
  runner_.run([unwanted](auto& engine, auto&, instant now) { engine.abandon(unwanted, now); });
}

void session_impl::release(const std::shared_ptr<hold>& given_back,
                           std::shared_ptr<operations::release_receiver> caller) {
  runner_.run([given_back, caller = std::move(caller)](auto&, auto& locks, instant now) {
    locks.release(given_back, caller, now);
  });
}

void session_impl::give_way(const std::shared_ptr<operations::hand_over>& kept) noexcept {
  runner_.run([kept](engine::session_engine& all, auto&, instant now) {
    if (kept->number() != 0) {
      all.call(kept->number(), now, [&kept](engine::operation&, engine::out& wants) { kept->give_way(wants); });
    }
  });
}

void session_impl::note_lock(const std::shared_ptr<lock_owners>& one) {
  const scoped_lock_on lock(locks_mutex_);
  if (locks_.size() >= prune_locks_at_) {
    std::erase_if(locks_, [](const std::weak_ptr<lock_owners>& each) { return each.expired(); });
    prune_locks_at_ = 2 * locks_.size() + 8;
  }
  locks_.push_back(one);
}

std::vector<std::shared_ptr<lock_owners>> session_impl::locks() const {
  std::vector<std::shared_ptr<lock_owners>> all;
  const scoped_lock_on lock(locks_mutex_);
  for (const std::weak_ptr<lock_owners>& each : locks_) {
    if (auto one = each.lock()) {
      all.insert(one->has_parts() ? all.begin() : all.end(), std::move(one));
    }
  }
  return all;
}

void session_impl::downgrade(const std::shared_ptr<hold>& writing) {
  runner_.run([writing](auto&, auto& locks, instant now) { locks.downgrade(writing, now); });
}

}  // namespace zklock::detail
