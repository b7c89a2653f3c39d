#include "tests/sim/observed_factory.hpp"

#include <utility>

#include "tests/sim/port_transcript.hpp"

namespace zklock::sim {

class observed_connection final : public client::connection, private client::observer {
 public:
  observed_connection(observed_factory& from, client::observer& to, std::uint64_t number)
      : from_(from), to_(to), seen_(from.told_.seen(), from.client_, number) {}
  void open(const client::parameters& with) {
    seen_.opened(with);
    inner_ = from_.servers_->open(with, *this);
  }

  void submit(client::request_id id, client::any_request&& what) override {
    seen_.requested(id, what);
    if (is_heard()) {
      ++from_.requests_;
      from_.told_.asked(from_.client_, what);
    }
    if (const auto* get = std::get_if<client::request::get>(&what); get != nullptr && get->watch != client::no_watch) {
      asked_.emplace(id, std::pair(get->watch, get->path));
    }
    if (const auto* list = std::get_if<client::request::list>(&what);
        list != nullptr && list->watch != client::no_watch) {
      asked_.emplace(id, std::pair(list->watch, list->path));
    }
    if (const auto* exists = std::get_if<client::request::exists>(&what);
        exists != nullptr && exists->watch != client::no_watch) {
      asked_.emplace(id, std::pair(exists->watch, exists->path));
      looked_.insert(id);
    }
    inner_->submit(id, std::move(what));
  }
  void forget(std::string_view path, client::watch_id id, watch_kind kind) override {
    seen_.forgotten(path, id, kind);
    from_.told_.watch_ended(from_.client_, id, std::nullopt);
    inner_->forget(path, id, kind);
  }
  void close() override {
    seen_.closed();
    end();
    inner_->close();
  }
  /// Nothing is heard of it from here on.
  void end() {
    if (is_heard()) {
      from_.heard_ = nullptr;
      from_.told_.handle_closed(from_.client_);
    }
  }

 private:
  [[nodiscard]] bool is_heard() const { return from_.heard_ == this; }
  void on_reply(client::request_id id, const client::reply_view& answer) override {
    seen_.answered(id, answer);
    if (!is_heard()) {
      asked_.clear();
      looked_.clear();
    }
    if (const auto found = asked_.find(id); found != asked_.end()) {
      const bool looked = looked_.erase(id) != 0;
      const bool got = !looked && answer.code == client::code::ok;
      if (found->second.second == followed_path && !got && answer.code != client::code::no_node) {
        from_.told_.value_to_be_read_again(from_.client_);
      }
      if (answer.code == client::code::ok || (looked && answer.code == client::code::no_node)) {
        from_.told_.watch_stands(from_.client_, found->second.first, found->second.second);
      } else if (answer.code == client::code::no_node) {
        from_.told_.answered_without_node(from_.client_);
      } else if (answer.code == client::code::no_auth) {
        from_.told_.answered_hidden(from_.client_);
      }
      asked_.erase(found);
    }
    to_.on_reply(id, answer);
  }
  void on_node_event(client::watch_id id, client::node_event event) override {
    seen_.node_event(id, event);
    if (is_heard()) {
      from_.told_.watch_ended(from_.client_, id, event);
    }
    to_.on_node_event(id, event);
  }
  void on_session_event(const client::session_event& event) override {
    seen_.session_event(event);
    if (is_heard()) {
      from_.told_.session_event(from_.client_, event.state);
    }
    to_.on_session_event(event);
  }
  void on_closed(bool confirmed) override {
    seen_.closing_answered(confirmed);
    to_.on_closed(confirmed);
  }

  observed_factory& from_;
  client::observer& to_;
  port_transcript seen_;
  std::unique_ptr<client::connection> inner_;
  std::unordered_map<client::request_id, std::pair<client::watch_id, std::string>> asked_;
  std::unordered_set<client::request_id> looked_;  ///< of these: they leave a watch where there is no node, too
};

std::unique_ptr<client::connection> observed_factory::open(const client::parameters& with, client::observer& to) {
  auto opened = std::make_unique<observed_connection>(*this, to, opened_++);
  if (heard_ != nullptr) {
    heard_->end();
  }
  heard_ = opened.get();
  opened->open(with);
  return opened;
}

/// What passes on it concerns the session of the other one in nothing.
std::unique_ptr<client::connection> observed_factory::open_newcomer(const client::parameters& with,
                                                                    client::observer& to,
                                                                    std::string_view /*last_server*/) {
  auto opened = std::make_unique<observed_connection>(*this, to, opened_++);
  opened->open(with);
  return opened;
}

}  // namespace zklock::sim
