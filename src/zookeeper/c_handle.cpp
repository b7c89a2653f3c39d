#include "src/zookeeper/c_handle.hpp"

#include <netdb.h>
#include <zookeeper/zookeeper.h>

#include <array>
#include <chrono>
#include <string>
#include <utility>
#include <variant>

#include "src/port/request_check.hpp"
#include "src/threads/stay_loaded.hpp"
#include "src/zookeeper/c_callbacks.hpp"
#include "src/zookeeper/c_types.hpp"
#include "src/zookeeper/callback_registry.hpp"
#include "src/zookeeper/connection_failure.hpp"
#include "src/zookeeper/multi_flight.hpp"
#include "src/zookeeper/request_sender.hpp"

namespace zklock::client {
namespace {

// zookeeper_close waits this long for any byte from the server, and says ZOK all the same when none comes.
constexpr std::chrono::milliseconds close_answer_limit{1'400};
// For what has been asked before, see await_answers().
constexpr std::chrono::milliseconds last_answers_limit{500};

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

/// "127.0.0.1:2181"; empty: it is not connected (any more).
std::string server_of(zhandle_t* handle) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (zookeeper_get_connected_host(handle, generic, &size) == nullptr ||
      getnameinfo(generic, size, host.data(), host.size(), port.data(), port.size(), NI_NUMERICHOST | NI_NUMERICSERV) !=
          0) {
    return {};
  }
  return std::string(host.data()) + ":" + port.data();
}

}  // namespace

std::shared_ptr<c_handle> c_handle::make(observer& to, owner whose, const parameters& with,
                                         std::shared_ptr<connection_failure> met) {
  auto made = std::make_shared<c_handle>(to, whose, with, std::move(met));
  made->number_ = callback_registry::instance().add(made);
  return made;
}

c_handle::c_handle(observer& to, owner whose, const parameters& with, std::shared_ptr<connection_failure> met)
    : whose_(whose), met_(std::move(met)), credentials_(with), delivery_(to) {}

c_handle::~c_handle() = default;

void c_handle::start(_zhandle* handle) {
  handle_ = handle;
  if (handle == nullptr) {
    begin_close();
    retire();
  }
  offer_credentials();
  started_.set();
}

void c_handle::submit(request_id id, any_request&& what) {
  if (const code answer = answer_instead_of_sending(what); answer != code::ok) {
    answer_locally(id, answer);
    return;
  }
  int rc = ZOK;
  {
    const handle_gate::pass inside(gate_);
    if (!inside) {
      return;  // closed: nothing is told any more
    }
    unanswered_.add();
    rc = send(id, what);
  }
  if (rc != ZOK) {
    unanswered_.remove();
    answer_locally(id, static_cast<code>(rc));
  }
}

void c_handle::offer_credentials() {
  const handle_gate::pass inside(gate_);
  if (inside) {
    (void)credentials_.given_to(handle_);
  }
}

int c_handle::send(request_id id, any_request& what) {
  if (!credentials_.given_to(handle_) && is_unrecoverable(handle_) == ZOK) {
    return ZCONNECTIONLOSS;  // between two attempts to connect: the server would take it for a stranger's
  }
  void* const context = callback_context(number_, id).raw();
  if (auto* multi = std::get_if<request::multi>(&what)) {
    if (const int refused = multi_flight::may_be_sent(handle_); refused != ZOK) {
      return refused;
    }
    const int rc = flights_.add(id, std::move(*multi)).send(handle_, context);
    return rc == ZOK || !take_flight(id) ? ZOK : rc;
  }
  if (const watch_id watch = watch_of(what); watch != no_watch) {
    watches_.asked(id, watch);
  }
  return send_request(handle_, number_, what, context);
}

void c_handle::answer_locally(request_id id, code why) {
  delivery_.post([self = shared_from_this(), id, why](observer& to) {
    (void)self->watches_.answered(id);
    self->look_before_reply(to, why);
    reply answer;
    answer.code = why;
    to.on_reply(id, answer);
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
    // The synchronous form waits for nothing when it is local; the asynchronous one hangs.
    return zoo_remove_watches(handle_, where.c_str(), type, on_node_watch, callback_context(number_, id).raw(), 1);
  };
  if (remove() == ZOK || !may_be_under_way || watches_.forgotten_early(id, path, kind)) {
    return;
  }
  (void)remove();  // its answer came between the first try and the look at the pending watches; or it was never there
}

void c_handle::look() {
  delivery_.post([self = shared_from_this()](observer& to) { self->look_in_turn(to); });
}

bool c_handle::expired() {
  const handle_gate::pass inside(gate_);
  return inside && state_of(zoo_state(handle_)) == connection_state::expired;
}

void c_handle::on_session(int state) {
  started_.wait();
  offer_credentials();  // before the observer learns that it may send requests
  delivery_.in_turn([&](observer& to) { notify(to, state_of(state)); });
}

void c_handle::on_watch(watch_id id, int type, int state) {
  if (type != ZOO_SESSION_EVENT) {
    delivery_.in_turn([&](observer& to) { to.on_node_event(id, event_of(type)); });
  } else if (whose_ == owner::program) {  // a handle of our own has its own watcher for these
    on_session(state);
  }
}

void c_handle::on_reply(request_id id, const reply_view& answer) {
  remove_if_forgotten(id);
  delivery_.in_turn([&](observer& to) {
    look_before_reply(to, answer.code);
    to.on_reply(id, answer);
  });
  unanswered_.remove();
}

void c_handle::remove_if_forgotten(request_id id) {
  if (const auto forgotten = watches_.answered(id)) {
    remove_watch(forgotten->second.path, forgotten->first, forgotten->second.kind, false);
  }
}

std::unique_ptr<multi_flight> c_handle::take_flight(request_id id) {
  std::unique_ptr<multi_flight> taken = flights_.take(id);
  if (flights_.over()) {
    callback_registry::instance().remove(number_);
  }
  return taken;
}

void c_handle::look_in_turn(observer& to) {
  const handle_gate::pass inside(gate_);
  if (inside) {
    notify(to, state_of(zoo_state(handle_)));
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
      notify(to, connection_state::connecting);  // without a look: the handle's state may lag behind its answers
      break;
    case code::session_expired: notify(to, connection_state::expired); break;
    case code::system_error:  // not sent: the handle was between two connections, and may be connected again
      notify(to, connection_state::connecting);
      look_in_turn(to);
      break;
    default:
      if (!told_.connected() || !recipes::answered_by_server(answer)) {
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
    notify(to, connection_state::connected);
  }
}

void c_handle::notify(observer& to, connection_state state) {
  if (told_.over()) {
    return;
  }
  session_event event{.state = state};
  if (state == connection_state::connected) {
    if (met_) {
      met_->forget();
    }
    const clientid_t& session = *zoo_client_id(handle_);
    event.session_id = session.client_id;
    event.password.assign(session.passwd, sizeof session.passwd);
    event.timeout = std::chrono::milliseconds(zoo_recv_timeout(handle_));
    event.server = server_of(handle_);
  }
  if (told_.change_to(event)) {
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
  } else if (may_be_called_back()) {
    detail::stay_loaded();
  }
  retire();
  const bool confirmed = whose_ == owner::us && close_own();
  delivery_.last([confirmed](observer& to) { to.on_closed(confirmed); });
}

// A handle of our own calls nothing once it is closed. The program's may call what it was given with a request until it has
// answered; and with a watch even after the watch was removed, since it may have an event for it that it has not told.
bool c_handle::may_be_called_back() { return watches_.any_ever() || !unanswered_.wait_none({}); }

// The observer is told of them no more, but what zookeeper_close finds unanswered it may leak (F76).
void c_handle::await_answers() {
  if (zoo_state(handle_) == ZOO_CONNECTED_STATE) {
    unanswered_.wait_none(last_answers_limit);
  }
}

bool c_handle::close_own() {
  // Both: the C client tells of a loss before its state says so.
  const bool connected = told_.connected() && zoo_state(handle_) == ZOO_CONNECTED_STATE;
  const auto begun = std::chrono::steady_clock::now();
  const int rc = zookeeper_close(handle_);
  return connected && rc == ZOK && std::chrono::steady_clock::now() - begun < close_answer_limit;
}

// The program's handle may still write the results of a multi: then callbacks go on finding us until it has.
void c_handle::retire() {
  flights_.retire();
  if (whose_ == owner::us || flights_.over()) {
    callback_registry::instance().remove(number_);
  }
}

}  // namespace zklock::client
