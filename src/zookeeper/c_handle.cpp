#include "src/zookeeper/c_handle.hpp"

#include <zookeeper/zookeeper.h>

#include <chrono>
#include <utility>
#include <variant>

#include "src/zookeeper/c_callbacks.hpp"
#include "src/zookeeper/c_types.hpp"
#include "src/zookeeper/callback_registry.hpp"
#include "src/zookeeper/multi_flight.hpp"
#include "src/zookeeper/request_check.hpp"

namespace zklock::client {
namespace {

// zookeeper_close waits this long for any byte from the server, and says ZOK all the same when none comes.
constexpr std::chrono::milliseconds close_answer_limit{1'400};
// For what has been asked before, see await_answers().
constexpr std::chrono::milliseconds last_answers_limit{500};

connection_state state_of(int zoo) {
  if (zoo == ZOO_CONNECTED_STATE) {
    return connection_state::connected;
  }
  if (zoo == ZOO_EXPIRED_SESSION_STATE) {
    return connection_state::expired;
  }
  if (zoo == ZOO_AUTH_FAILED_STATE) {
    return connection_state::auth_failed;
  }
  return connection_state::connecting;  // 0 and 999 between two attempts, and every other number
}

node_event event_of(int type) {
  if (type == ZOO_CREATED_EVENT) {
    return node_event::created;
  }
  if (type == ZOO_DELETED_EVENT) {
    return node_event::deleted;
  }
  if (type == ZOO_CHILD_EVENT) {
    return node_event::children_changed;
  }
  return node_event::changed;  // also "not watching any more", which nothing else would tell: look again
}

watch_id watch_of(const any_request& what) {
  return std::visit(
      [](const auto& one) {
        if constexpr (requires { one.watch; }) {
          return one.watch;
        } else {
          return no_watch;
        }
      },
      what);
}

// Sends one request that needs no memory until its answer, and returns the C client's code.
struct sender {
  _zhandle* handle;
  std::uint32_t connection;
  const void* context;

  watcher_fn watcher(watch_id id) const { return id == no_watch ? nullptr : on_node_watch; }
  void* watch(watch_id id) const { return id == no_watch ? nullptr : callback_context(connection, id).raw(); }

  int operator()(const request::create& one) const {
    return zoo_acreate2(handle, one.path.c_str(), one.data.data(), static_cast<int>(one.data.size()),
                        c_acl(one.acl).get(), translated(one.mode), on_create_reply, context);
  }
  int operator()(const request::list& one) const {
    return zoo_awget_children2(handle, one.path.c_str(), watcher(one.watch), watch(one.watch), on_list_reply, context);
  }
  int operator()(const request::get& one) const {
    return zoo_awget(handle, one.path.c_str(), watcher(one.watch), watch(one.watch), on_get_reply, context);
  }
  int operator()(const request::exists& one) const {
    return zoo_awexists(handle, one.path.c_str(), watcher(one.watch), watch(one.watch), on_stat_reply, context);
  }
  int operator()(const request::set& one) const {
    return zoo_aset(handle, one.path.c_str(), one.data.data(), static_cast<int>(one.data.size()), one.version,
                    on_stat_reply, context);
  }
  int operator()(const request::remove& one) const {
    return zoo_adelete(handle, one.path.c_str(), one.version, on_remove_reply, context);
  }
  int operator()(const request::sync& one) const { return zoo_async(handle, one.path.c_str(), on_sync_reply, context); }
};

}  // namespace

std::shared_ptr<c_handle> c_handle::make(observer& to, owner whose) {
  auto made = std::make_shared<c_handle>(to, whose);
  made->number_ = callback_registry::instance().add(made);
  return made;
}

c_handle::c_handle(observer& to, owner whose) : whose_(whose), delivery_(to) {}

c_handle::~c_handle() = default;

void c_handle::start(_zhandle* handle) {
  handle_ = handle;
  if (handle == nullptr) {
    begin_close();
    retire();
  }
  started_ = true;
  started_.notify_all();
}

void c_handle::submit(request_id id, any_request&& what) {
  if (!may_be_sent(what)) {
    answer_locally(id, code::bad_arguments);
    return;
  }
  int rc = ZOK;
  {
    const handle_gate::pass inside(gate_);
    if (!inside) {
      return;  // closed: nothing is told any more
    }
    ++unanswered_;
    rc = send(id, what);
  }
  if (rc != ZOK) {
    count_answer();
    answer_locally(id, static_cast<code>(rc));
  }
}

int c_handle::send(request_id id, any_request& what) {
  void* const context = callback_context(number_, id).raw();
  if (auto* multi = std::get_if<request::multi>(&what)) {
    auto flight = std::make_unique<multi_flight>(std::move(*multi));
    multi_flight& sent = *flight;
    {
      // Known before it is sent: the answer may come before the call returns. It then takes the flight away, but not
      // before the C client is done with it.
      const scoped_lock_on lock(mutex_);
      flights_.insert_or_assign(id, std::move(flight));
    }
    const int rc = sent.send(handle_, context);
    return rc == ZOK || !take_flight(id) ? ZOK : rc;
  }
  if (const watch_id watch = watch_of(what); watch != no_watch) {
    watches_.asked(id, watch);
  }
  return std::visit(
      [&](const auto& one) {
        if constexpr (std::is_same_v<std::decay_t<decltype(one)>, request::multi>) {
          return static_cast<int>(ZBADARGUMENTS);  // sent above
        } else {
          return sender{handle_, number_, context}(one);
        }
      },
      what);
}

void c_handle::answer_locally(request_id id, code why) {
  delivery_.post([self = shared_from_this(), id, why](observer& to) {
    (void)self->watches_.answered(id);
    self->look_before_reply(to, why);
    reply answer;
    answer.code = why;
    to.on_reply(id, std::move(answer));
  });
}

void c_handle::forget(std::string_view path, watch_id id, connection::watch_kind kind) {
  if (id != no_watch && valid_path(path)) {
    remove_watch(path, id, kind, true);
  }
}

void c_handle::remove_watch(std::string_view path, watch_id id, connection::watch_kind kind, bool may_be_under_way) {
  const handle_gate::pass inside(gate_);
  if (!inside) {
    return;
  }
  const std::string where(path);
  const auto type = kind == connection::watch_kind::children ? ZWATCHTYPE_CHILD : ZWATCHTYPE_DATA;
  const auto remove = [&] {
    // The synchronous form waits for nobody when it is local; the asynchronous one hangs.
    return zoo_remove_watches(handle_, where.c_str(), type, on_node_watch, callback_context(number_, id).raw(), 1);
  };
  if (remove() == ZOK || !may_be_under_way || watches_.forgotten_early(id, path, kind)) {
    return;
  }
  (void)remove();  // its answer came between the first try and the look at the book; or it was never there
}

void c_handle::look() {
  delivery_.post([self = shared_from_this()](observer& to) { self->look_in_turn(to); });
}

bool c_handle::expired() {
  const handle_gate::pass inside(gate_);
  return inside && state_of(zoo_state(handle_)) == connection_state::expired;
}

void c_handle::on_session(int state) {
  started_.wait(false);
  delivery_.in_turn([&](observer& to) { tell(to, state_of(state)); });
}

void c_handle::on_watch(watch_id id, int type, int state) {
  if (type != ZOO_SESSION_EVENT) {
    delivery_.in_turn([&](observer& to) { to.on_node_event(id, event_of(type)); });
  } else if (whose_ == owner::program) {  // a handle of our own has its own watcher for these
    on_session(state);
  }
}

void c_handle::on_reply(request_id id, reply&& answer) {
  settle_watch(id);
  delivery_.in_turn([&](observer& to) {
    look_before_reply(to, answer.code);
    to.on_reply(id, std::move(answer));
  });
  count_answer();
}

void c_handle::count_answer() {
  if (--unanswered_ == 0 && closing_) {
    const scoped_lock_on lock(mutex_);
    all_answered_.notify_all();
  }
}

void c_handle::settle_watch(request_id id) {
  if (const auto forgotten = watches_.answered(id)) {
    remove_watch(forgotten->second.path, forgotten->first, forgotten->second.kind, false);
  }
}

std::unique_ptr<multi_flight> c_handle::take_flight(request_id id) {
  std::unique_ptr<multi_flight> taken;
  bool unreachable = false;
  {
    const scoped_lock_on lock(mutex_);
    if (auto found = flights_.extract(id); !found.empty()) {
      taken = std::move(found.mapped());
    }
    unreachable = retired_ && flights_.empty();
  }
  if (unreachable) {
    callback_registry::instance().remove(number_);
  }
  return taken;
}

void c_handle::look_in_turn(observer& to) {
  const handle_gate::pass inside(gate_);
  if (inside) {
    tell(to, state_of(zoo_state(handle_)));
  }
}

// An adopted handle tells us of its session only while we watch something: its answers tell us as well.
void c_handle::look_before_reply(observer& to, code answer) {
  if (whose_ == owner::us) {
    return;
  }
  switch (answer) {
    case code::connection_loss:
    case code::operation_timeout:
      tell(to, connection_state::connecting);  // without a look: the handle's state may lag behind its answers
      break;
    case code::session_expired: tell(to, connection_state::expired); break;
    default:
      if (told_.state != connection_state::connected || !recipes::answered_by_server(answer)) {
        look_in_turn(to);
      } else {
        look_for_another_timeout(to);
      }
  }
}

// It may have connected again without a word, and been granted less.
void c_handle::look_for_another_timeout(observer& to) {
  const handle_gate::pass inside(gate_);
  if (inside && zoo_state(handle_) == ZOO_CONNECTED_STATE) {
    tell(to, connection_state::connected);
  }
}

void c_handle::tell(observer& to, connection_state state) {
  if (told_.state == connection_state::expired || told_.state == connection_state::auth_failed) {
    return;
  }
  session_event event{.state = state};
  if (state == connection_state::connected) {
    event.session_id = zoo_client_id(handle_)->client_id;
    event.timeout = std::chrono::milliseconds(zoo_recv_timeout(handle_));
  }
  const bool changed =
      event.state != told_.state || event.session_id != told_.session_id || event.timeout != told_.timeout;
  if (changed) {
    told_ = event;
    told_connected_ = event.state == connection_state::connected;
    to.on_session_event(event);
  }
}

void c_handle::begin_close() {
  gate_.shut();
  delivery_.close();
}

void c_handle::finish_close() {
  gate_.wait_empty();
  if (whose_ == owner::us) {
    await_answers();
  }
  retire();
  const bool confirmed = whose_ == owner::us && close_own();
  delivery_.last([confirmed](observer& to) { to.on_closed(confirmed); });
}

// Nobody is told of them any more, but what zookeeper_close finds unanswered it may leak (F76).
void c_handle::await_answers() {
  if (zoo_state(handle_) != ZOO_CONNECTED_STATE) {
    return;
  }
  closing_ = true;
  const auto deadline = std::chrono::steady_clock::now() + last_answers_limit;
  const scoped_lock_on lock(mutex_);
  while (unanswered_ != 0 && all_answered_.wait_until(mutex_, deadline) != std::cv_status::timeout) {}
}

bool c_handle::close_own() {
  // Both: the C client tells of a loss before its state says so.
  const bool connected = told_connected_ && zoo_state(handle_) == ZOO_CONNECTED_STATE;
  const auto begun = std::chrono::steady_clock::now();
  const int rc = zookeeper_close(handle_);
  return connected && rc == ZOK && std::chrono::steady_clock::now() - begun < close_answer_limit;
}

// The program's handle may still write the results of a multi: then callbacks go on finding us until it has.
void c_handle::retire() {
  {
    const scoped_lock_on lock(mutex_);
    retired_ = true;
    if (whose_ == owner::program && !flights_.empty()) {
      return;
    }
  }
  callback_registry::instance().remove(number_);
}

}  // namespace zklock::client
