#include "src/zookeeper/c_client.hpp"

#include <zookeeper/zookeeper.h>

#include <zklock/error.hpp>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "src/log/log.hpp"
#include "src/threads/task_thread.hpp"
#include "src/zookeeper/c_callbacks.hpp"
#include "src/zookeeper/c_handle.hpp"
#include "src/zookeeper/callback_registry.hpp"
#include "src/zookeeper/session_lines.hpp"
#include "src/zookeeper/thread_check.hpp"

namespace zklock::client {
namespace {

class c_connection final : public connection {
 public:
  c_connection(std::shared_ptr<c_handle> handle, c_handle::owner whose, std::unique_ptr<detail::task_thread> own)
      : handle_(std::move(handle)), polls_(whose == c_handle::owner::program), thread_(std::move(own)) {
    if (polls_) {
      // The first look, not from within open(): the opener may hold what the observer wants.
      thread_->post([looked_at = handle_] { looked_at->look(); });
    }
  }
  c_connection(const c_connection&) = delete;
  c_connection& operator=(const c_connection&) = delete;
  ~c_connection() override {
    if (!closed_) {
      close();
    }
  }

  void submit(request_id id, any_request&& what) override { handle_->submit(id, std::move(what)); }

  void forget(std::string_view path, watch_id id, watch_kind kind) override { handle_->forget(path, id, kind); }

  void poll() override {
    if (polls_) {
      handle_->look();
    }
  }

  bool expired() override { return polls_ && handle_->expired(); }

  void close() override {
    closed_ = true;
    handle_->begin_close();
    thread_->post([closing = handle_] { closing->finish_close(); });
  }

 private:
  const std::shared_ptr<c_handle> handle_;
  const bool polls_;
  bool closed_ = false;  // the owner's thread alone
  // Before there is a handle to be closed: when it has to be, there may be no thread to be had. Goes when all is done.
  const std::unique_ptr<detail::task_thread> thread_;
};

// The C client's level is the process's: set once, so that the program can set another.
void choose_log_level() {
  static std::once_flag once;
  std::call_once(once, [] { zoo_set_debug_level(ZOO_LOG_LEVEL_WARN); });
}

int milliseconds_for_c(std::chrono::milliseconds time) {
  return static_cast<int>(std::clamp<std::int64_t>(time.count(), 1, std::numeric_limits<int>::max()));
}

/// The connection's own, while there is room for those of the C client.
std::unique_ptr<detail::task_thread> thread_for(const factory& servers) {
  try {
    auto own = std::make_unique<detail::task_thread>(log::callback_threw);
    if (!servers.adopted()) {
      require_threads_for_handle();
    }
    return own;
  } catch (const std::system_error& failure) {
    throw error(failure.code(), "make threads for", servers.describe());
  }
}

/// Asks the system's resolver once for each name.
class names {
 public:
  [[nodiscard]] const std::vector<std::string>& of(const std::string& host) {
    const auto [found, fresh] = known_.try_emplace(host);
    if (fresh) {
      found->second = resolved(host);
    }
    return found->second;
  }
  /// In digits, with ports.
  [[nodiscard]] std::vector<std::string> of(const server_list& servers) {
    std::vector<std::string> all;
    for (const std::string& server : servers.servers()) {
      const auto colon = server.rfind(':');
      for (const std::string& address : of(server.substr(0, colon))) {
        all.push_back(address + server.substr(colon));
      }
    }
    return all;
  }

 private:
  std::map<std::string, std::vector<std::string>> known_;
};

class own_factory final : public factory {
 public:
  explicit own_factory(server_list servers, bool of_newcomers = false)
      : servers_(std::move(servers)), lines_(of_newcomers) {}

  std::unique_ptr<connection> open(const parameters& with, observer& to) override {
    return open(with, to, lines_.failure());
  }
  /// Where the names led to when the other was opened, and where that has got since, by names that it has resolved anew.
  std::unique_ptr<connection> open_newcomer(const parameters& with, observer& to,
                                            std::string_view /*last_server*/) override {
    if (const std::string last = lines_.failure()->closed_by();
        !last.empty() && std::find(addresses_.begin(), addresses_.end(), last) == addresses_.end()) {
      addresses_.push_back(last);
    }
    if (addresses_.empty()) {
      return nullptr;
    }
    newcomers_ = std::make_unique<own_factory>(server_list::of_addresses(addresses_), true);
    return newcomers_->open(with, to, nullptr);
  }
  /// Of an even list one is named once more.
  [[nodiscard]] std::size_t attempts_per_round() const override { return addresses_.size() + 1; }
  [[nodiscard]] bool last_attempt_was_closed() const override {
    return lines_.failure()->text().empty() || !lines_.failure()->closed_by().empty();
  }

  [[nodiscard]] bool adopted() const noexcept override { return false; }
  [[nodiscard]] std::size_t threads_per_connection() const noexcept override { return 3; }  // ours, the C client's two
  [[nodiscard]] std::size_t server_count() const noexcept override { return servers_.distinct_count(); }
  [[nodiscard]] std::string describe() const override { return servers_.text(); }
  [[nodiscard]] std::string last_failure() const override { return lines_.failure()->text(); }

 private:
  std::unique_ptr<connection> open(const parameters& with, observer& to, std::shared_ptr<connection_failure> met) {
    choose_log_level();
    auto own = thread_for(*this);
    names resolver;
    const std::string list = servers_.normalised([&](const std::string& host) { return resolver.of(host); });
    addresses_ = resolver.of(servers_);
    auto handle = c_handle::make(to, c_handle::owner::us, with, std::move(met));
    handle->start(started(with, *handle, list));
    return std::make_unique<c_connection>(std::move(handle), c_handle::owner::us, std::move(own));
  }

  _zhandle* started(const parameters& with, c_handle& handle, const std::string& list) const {
    clientid_t resumed{with.resumed.id, {}};
    with.resumed.password.copy(resumed.passwd, sizeof resumed.passwd);
    errno = 0;
    _zhandle* const made = zookeeper_init2(
        list.c_str(), on_session_event, milliseconds_for_c(with.timeout), with.resumed.id != 0 ? &resumed : nullptr,
        callback_context(handle.number(), 0).raw(), ZOO_NO_LOG_CLIENTENV, lines_.to());
    if (made == nullptr) {
      const int why = errno;
      handle.start(nullptr);
      // EINVAL: the resolver failed in another way than "no such name". The list itself has been parsed.
      const bool unresolvable = why == ENOENT || why == EINVAL;
      throw error(
          unresolvable ? make_error_code(errc::unresolvable_host) : std::error_code(why, std::system_category()),
          "connect to", servers_.text());
    }
    // By default every turn of the client's IO loop resolves the names again, which costs a third of its work.
    zoo_set_servers_resolution_delay(made, -1);
    return made;
  }

  const server_list servers_;
  const session_lines lines_;
  std::vector<std::string> addresses_;  ///< in digits, with ports: "127.0.0.1:2181"
  std::unique_ptr<own_factory> newcomers_;
};

class program_factory final : public factory {
 public:
  program_factory(_zhandle* handle, client::watch_budget budget) : handle_(handle), budget_(budget) {}

  std::unique_ptr<connection> open(const parameters& /*with*/, observer& to) override {
    auto own = thread_for(*this);
    auto handle = c_handle::make(to, c_handle::owner::program);
    handle->start(handle_);
    return std::make_unique<c_connection>(std::move(handle), c_handle::owner::program, std::move(own));
  }

  std::unique_ptr<connection> open_newcomer(const parameters& with, observer& to,
                                            std::string_view last_server) override {
    if (last_server.empty()) {
      return nullptr;
    }
    newcomers_ = std::make_unique<own_factory>(server_list::of_addresses({std::string(last_server)}));
    return newcomers_->open(with, to);
  }
  /// Which servers the handle knows cannot be asked.
  [[nodiscard]] std::size_t attempts_per_round() const override { return 9; }
  [[nodiscard]] bool adopted() const noexcept override { return true; }
  [[nodiscard]] std::size_t threads_per_connection() const noexcept override { return 1; }
  [[nodiscard]] std::size_t server_count() const noexcept override { return 0; }
  [[nodiscard]] client::watch_budget budget_of_watches() const noexcept override { return budget_; }
  [[nodiscard]] std::string describe() const override { return "the program's own handle"; }

 private:
  _zhandle* const handle_;
  const client::watch_budget budget_;
  std::unique_ptr<own_factory> newcomers_;
};

}  // namespace

std::shared_ptr<factory> c_client_factory(server_list servers) {
  return std::make_shared<own_factory>(std::move(servers));
}

std::shared_ptr<factory> adopted_factory(_zhandle* handle, watch_budget budget) {
  return std::make_shared<program_factory>(handle, budget);
}

}  // namespace zklock::client
