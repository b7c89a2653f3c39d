#include "tests/sim/java_peer.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "tests/support/hold_of.hpp"

namespace zklock::sim {
namespace {

namespace request = client::request;

constexpr std::string_view lock_marker = "lock-", lease_marker = "lease-", read_marker = "__READ__",
                           write_marker = "__WRIT__";
constexpr std::size_t digits = 10;

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('/') + 1); }
std::string_view number_in(std::string_view name) { return name.substr(name.size() - digits); }
bool writes(std::string_view name) { return name.find(write_marker) != std::string_view::npos; }

void require(const client::reply_view& answer) {
  if (answer.code != client::code::ok) {
    throw std::logic_error("a Java program was answered " + std::string(recipes::name(answer.code)));
  }
}

}  // namespace

java_peer::java_peer(int number, script wanted, const std::vector<lock_plan>& locks, testing::ensemble& servers,
                     checkers& told)
    : number_(number),
      wanted_(std::move(wanted)),
      locks_(locks),
      servers_(servers),
      told_(told),
      factory_(servers.clients(number, 0)) {
  deadline_->extend(instant::max());
}

void java_peer::open(std::chrono::milliseconds session_timeout) {
  client::parameters with;
  with.timeout = session_timeout;
  connection_ = factory_->open(with, *this);
}

void java_peer::act() {
  const user_action what = wanted_[next_++];
  switch (what.what) {
    case user_action::kind::acquire: acquire(what.of.empty() ? want{} : what.of.front()); break;
    case user_action::kind::downgrade: downgrade(); break;
    case user_action::kind::drop: release(); break;
    default: throw std::logic_error("a Java program cannot do that: the scenario is wrong");
  }
}

// ---- acquiring ------------------------------------------------------------------------------------------------------

void java_peer::acquire(const want& what) {
  present_ = what;
  told_.attempt_begun(number_, ++attempts_, std::nullopt, false, {present_}, servers_);
  const std::string& path = locks_[what.lock].path;
  const auto hold_own = [this] { granted(own_); };
  switch (what.of) {
    case detail::side::whole: enter(path, lock_marker, hold_own); break;
    case detail::side::read: enter(path, read_marker, hold_own); break;
    case detail::side::write: enter(path, write_marker, hold_own); break;
    case detail::side::permits:
      enter(path + std::string(recipes::curator_locks), lock_marker, [this] { take_lease(); });
      break;
  }
}

void java_peer::enter(const std::string& parent, std::string_view marker, std::function<void()> then) {
  parent_ = parent;
  entered_ = std::move(then);
  ask(request::create{parent + "/" + new_name(marker), payload(), client::create_mode::ephemeral_sequential},
      [this](const client::reply_view& answer) {
        require(answer);
        made_ = answer.copy();
        own_ = made_.name;
        look();
      });
}

void java_peer::look() {
  ask(request::list{parent_, client::no_watch}, [this](const client::reply_view& answer) {
    require(answer);
    const std::optional<std::string> before = node_to_wait_for({answer.children.begin(), answer.children.end()});
    if (!before) {
      entered_();
      return;
    }
    const client::watch_id watch = ++last_watch_;
    ask(request::get{parent_ + "/" + *before, watch}, [this, watch](const client::reply_view& seen) {
      if (seen.code == client::code::no_node) {
        look();
        return;
      }
      require(seen);
      watch_ = watch;
      woken_ = [this] { look(); };
    });
  });
}

/// A reader waits for the first writer of the list, any other contender for the one right before it.
std::optional<std::string> java_peer::node_to_wait_for(std::vector<std::string> children) const {
  std::sort(children.begin(), children.end(),
            [](const std::string& a, const std::string& b) { return number_in(a) < number_in(b); });
  const auto own = std::find(children.begin(), children.end(), last_part(own_));
  if (own == children.end()) {
    throw std::logic_error("the node of a Java program has gone");
  }
  if (present_.of == detail::side::read) {
    const auto first = std::find_if(children.begin(), own, writes);
    return first == own ? std::nullopt : std::optional(*first);
  }
  return own == children.begin() ? std::nullopt : std::optional(*std::prev(own));
}

void java_peer::take_lease() {
  const std::string leases = locks_[present_.lock].path + std::string(recipes::curator_leases);
  ask(request::create{leases + "/" + new_name(lease_marker), payload(), client::create_mode::ephemeral_sequential},
      [this](const client::reply_view& answer) {
        require(answer);
        made_ = answer.copy();
        own_lease_ = made_.name;
        look_at_leases();
      });
}

/// While it has the mutex.
void java_peer::look_at_leases() {
  const std::string leases = locks_[present_.lock].path + std::string(recipes::curator_leases);
  const client::watch_id watch = ++last_watch_;
  ask(request::list{leases, watch}, [this, watch](const client::reply_view& answer) {
    require(answer);
    if (answer.children.size() <= locks_[present_.lock].limit) {
      granted(own_lease_);
      remove(own_, [this] { own_ = own_lease_; });
      return;
    }
    watch_ = watch;
    woken_ = [this] { look_at_leases(); };
  });
}

void java_peer::granted(const std::string& node) {
  hold_ = std::make_shared<detail::hold>(
      test_support::hold_of(deadline_, {made_.stat.czxid}, 0, locks_[present_.lock].path, node, false));
  told_.seen().note(transcript::entry::granted, number_, attempts_, *hold_);
  told_.granted(number_, attempts_, {present_}, hold_, servers_);
}

// ---- holding --------------------------------------------------------------------------------------------------------

/// Reader first, at the writer's own number; then the writer is given back.
void java_peer::downgrade() {
  const std::string reader = parent_ + "/" + new_name(read_marker) + std::string(number_in(own_));
  ask(request::create{reader, payload(), client::create_mode::ephemeral},
      [this, reader](const client::reply_view& answer) {
        require(answer);
        told_.downgraded(*hold_);
        hold_->move_to(reader);
        remove(std::exchange(own_, reader), [] {});
      });
}

void java_peer::release() {
  hold_->end_by_release(servers_.now());
  told_.released(number_, *hold_);
  remove(own_, [this] { hold_.reset(); });
}

void java_peer::remove(const std::string& node, std::function<void()> then) {
  ask(request::remove{node, -1}, [then = std::move(then)](const client::reply_view& answer) {
    require(answer);
    then();
  });
}

std::string java_peer::new_name(std::string_view marker) {
  const recipes::contender_id id(0xFEED'0000'0000'4000U + static_cast<std::uint64_t>(number_),
                                 0x8000'0000'0000'0000U + ++names_);
  told_.id_made(number_, id.text());
  std::string name(id.text());
  for (const std::size_t place : {8U, 13U, 18U, 23U}) {
    name.insert(place, "-");
  }
  return "_c_" + name + "-" + std::string(marker);
}

std::string java_peer::payload() const {
  return "\nlabel=" + label_of(number_, attempts_, present_.of == detail::side::permits ? 0 : 1);
}

// ---- what the servers say -------------------------------------------------------------------------------------------

void java_peer::ask(client::any_request what, answered then) {
  answer_ = std::move(then);
  connection_->submit(++last_request_, std::move(what));
}

void java_peer::on_reply(client::request_id, const client::reply_view& reply) {
  const answered now = std::exchange(answer_, nullptr);
  now(reply);
}

/// Whatever the event: it looks again.
void java_peer::on_node_event(client::watch_id id, client::node_event) {
  if (id == watch_) {
    watch_ = client::no_watch;
    std::exchange(woken_, nullptr)();
  }
}

void java_peer::on_session_event(const client::session_event& event) {
  connected_ = event.state == client::connection_state::connected;
}

}  // namespace zklock::sim
