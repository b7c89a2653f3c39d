#include <zklock/prometheus.hpp>

#include <functional>
#include <iomanip>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <zklock/loss.hpp>
#include <zklock/version.hpp>

namespace zklock {
namespace {

std::string seconds(std::chrono::nanoseconds time) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text << std::setprecision(12) << std::chrono::duration<double>(time).count();
  return text.str();
}

std::string number(double value) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text << value;
  return text.str();
}

/// As the format wants a label's value.
std::string quoted(std::string_view value) {
  std::string text = "\"";
  for (const char letter : value) {
    switch (letter) {
      case '\\': text += "\\\\"; break;
      case '"': text += "\\\""; break;
      case '\n': text += "\\n"; break;
      default: text += letter;
    }
  }
  return text + "\"";
}

std::string label(std::string_view name, std::string_view value) { return std::string(name) + "=" + quoted(value); }

/// One metric, with all its lines together.
class family {
 public:
  family(std::ostream& to, std::string_view name, std::string_view type, std::string_view help) : to_(to), name_(name) {
    to << "# HELP " << name << ' ' << help << "\n# TYPE " << name << ' ' << type << '\n';
  }
  void line(const std::string& labels, const std::string& value, std::string_view suffix = {}) {
    to_ << name_ << suffix << '{' << labels << "} " << value << '\n';
  }
  void line(const std::string& labels, std::uint64_t value) { line(labels, std::to_string(value)); }
  void histogram(const std::string& labels, const duration_counts& of) {
    std::uint64_t so_far = 0;
    for (std::size_t range = 0; range < of.counts.size(); ++range) {
      so_far += of.counts[range];
      const bool last = range == duration_counts::up_to.size();
      if (of.count() == 0 && !last) {
        continue;  // most results never come
      }
      line(labels + "," + label("le", last ? "+Inf" : seconds(duration_counts::up_to[range])), std::to_string(so_far),
           "_bucket");
    }
    line(labels, seconds(of.sum), "_sum");
    line(labels, std::to_string(so_far), "_count");
  }

 private:
  std::ostream& to_;
  const std::string name_;
};

class exposition {
 public:
  exposition(std::ostream& to, std::span<const session_statistics> of) : to_(to) {
    for (const session_statistics& one : of) {
      std::string name = one.session;
      for (int again = 2; has(name); ++again) {  // two series of the same labels are refused
        name = one.session + " #" + std::to_string(again);
      }
      sessions_.push_back({std::move(name), one});
    }
  }

  void write() {
    write_sessions();
    write_requests();
    write_locks();
  }

 private:
  struct named {
    std::string name;
    const session_statistics& of;
    [[nodiscard]] std::string labels() const { return label("session", name); }
  };

  [[nodiscard]] bool has(std::string_view name) const {
    for (const named& one : sessions_) {
      if (one.name == name) {
        return true;
      }
    }
    return false;
  }

  using of_session = std::function<void(family&, const named&)>;
  void each_session(std::string_view name, std::string_view type, std::string_view help, const of_session& write) {
    family lines(to_, name, type, help);
    for (const named& one : sessions_) {
      write(lines, one);
    }
  }
  using of_lock = std::function<void(family&, const std::string&, const lock_statistics&)>;
  void each_lock(std::string_view name, std::string_view type, std::string_view help, const of_lock& write) {
    each_session(name, type, help, [&](family& lines, const named& one) {
      for (const lock_statistics& lock : one.of.locks) {
        write(lines, one.labels() + "," + label("lock", lock.name) + "," + label("kind", to_string(lock.kind)), lock);
      }
    });
  }

  void write_sessions() {
    family(to_, "zklock_info", "gauge", "The library.").line(label("version", ZKLOCK_VERSION_STRING), 1);
    each_session("zklock_session_state", "gauge", "Which state the session is in: that is 1.", [](auto& to, auto& one) {
      for (const auto state : {session_state::connecting, session_state::connected, session_state::suspended,
                               session_state::expired, session_state::authentication_failed, session_state::closed}) {
        to.line(one.labels() + "," + label("state", to_string(state)), one.of.state == state ? 1 : 0);
      }
    });
    each_session("zklock_sessions_opened_total", "counter", "ZooKeeper sessions that were opened.",
                 [](auto& to, auto& one) { to.line(one.labels(), one.of.sessions_opened); });
    each_session("zklock_connections_lost_total", "counter", "Connections to a server that were lost.",
                 [](auto& to, auto& one) { to.line(one.labels(), one.of.connections_lost); });
    each_session("zklock_session_timeout_seconds", "gauge", "The session timeout that the servers have granted.",
                 [](auto& to, auto& one) { to.line(one.labels(), seconds(one.of.timeout)); });
    each_session("zklock_margin_seconds", "gauge", "Holds end this long before the earliest expiry.",
                 [](auto& to, auto& one) { to.line(one.labels(), seconds(one.of.margin)); });
    each_session("zklock_deadline_left_seconds", "gauge",
                 "How far ahead the local deadline is, while something is held.", [](auto& to, auto& one) {
                   if (one.of.deadline_left) {
                     to.line(one.labels(), seconds(*one.of.deadline_left));
                   }
                 });
    each_session("zklock_deadline_left_ratio_min", "gauge",
                 "The least share of the session timeout that was left of the deadline in the last 60 to 120 s.",
                 [](auto& to, auto& one) {
                   if (one.of.least_deadline_left) {
                     to.line(one.labels(), number(*one.of.least_deadline_left));
                   }
                 });
    each_session("zklock_watches", "gauge", "Watches of the session at the servers.",
                 [](auto& to, auto& one) { to.line(one.labels(), one.of.watches); });
    each_session("zklock_watches_ratio", "gauge", "The share that is used up of what the session may watch.",
                 [](auto& to, auto& one) { to.line(one.labels(), number(one.of.share_of_watches)); });
    each_session("zklock_threads", "gauge", "Threads of the session and of its ZooKeeper handle.",
                 [](auto& to, auto& one) { to.line(one.labels(), one.of.threads); });
    each_session("zklock_guarded_writes_refused_total", "counter", "Guarded writes refused since a grant was lost.",
                 [](auto& to, auto& one) { to.line(one.labels(), one.of.guarded_writes_refused); });
  }

  void each_request(std::string_view name, std::string_view help,
                    const std::function<void(family&, const std::string&, const request_statistics&)>& write) {
    each_session(name, "counter", help, [&](family& lines, const named& one) {
      for (std::size_t kind = 0; kind < one.of.requests.size(); ++kind) {
        write(lines, one.labels() + "," + label("op", session_statistics::request_kinds[kind]), one.of.requests[kind]);
      }
    });
  }

  void write_requests() {
    each_request("zklock_requests_total", "Requests to the servers, by what became of them.",
                 [](family& to, const std::string& labels, const request_statistics& of) {
                   to.line(labels + "," + label("answer", "done"), of.done);
                   to.line(labels + "," + label("answer", "refused"), of.refused);
                   to.line(labels + "," + label("answer", "failed"), of.failed);
                 });
    each_request(
        "zklock_request_seconds_total", "The time that they took, from the sending on.",
        [](family& to, const std::string& labels, const request_statistics& of) { to.line(labels, seconds(of.time)); });
  }

  void write_locks() {
    each_lock("zklock_acquire_seconds", "histogram", "Acquisitions, by what became of them.",
              [](family& to, const std::string& labels, const lock_statistics& of) {
                to.histogram(labels + "," + label("result", "granted"), of.granted);
                to.histogram(labels + "," + label("result", "not in time"), of.not_in_time);
                to.histogram(labels + "," + label("result", "stopped"), of.stopped);
                to.histogram(labels + "," + label("result", "failed"), of.failed);
              });
    each_lock("zklock_turns_total", "counter",
              "Acquisitions granted by local hand-over or of a kept lock, without a request.",
              [](family& to, const std::string& labels, const lock_statistics& of) { to.line(labels, of.turns); });
    each_lock("zklock_relisted_total", "counter", "Acquisitions granted behind more than one list of the queue.",
              [](family& to, const std::string& labels, const lock_statistics& of) { to.line(labels, of.relisted); });
    each_lock("zklock_hold_seconds", "histogram", "Holds that have ended, by their end.",
              [](family& to, const std::string& labels, const lock_statistics& of) {
                to.histogram(labels + "," + label("end", "released"), of.released);
                to.histogram(labels + "," + label("end", "lost"), of.lost);
              });
    each_lock(
        "zklock_releases_unconfirmed_total", "counter", "Releases that no server has confirmed in time.",
        [](family& to, const std::string& labels, const lock_statistics& of) { to.line(labels, of.unconfirmed); });
    each_lock("zklock_lost_total", "counter", "Holds that were lost, by the reason.",
              [](family& to, const std::string& labels, const lock_statistics& of) {
                for (std::size_t reason = 1; reason < of.lost_by.size(); ++reason) {  // 0: none
                  to.line(labels + "," + label("reason", to_string(static_cast<loss_reason>(reason))),
                          of.lost_by[reason]);
                }
              });
    each_lock("zklock_holds", "gauge", "What is held now.",
              [](family& to, const std::string& labels, const lock_statistics& of) { to.line(labels, of.holds); });
    each_lock("zklock_waiters", "gauge", "Acquisitions that wait now.",
              [](family& to, const std::string& labels, const lock_statistics& of) { to.line(labels, of.waits); });
    each_lock("zklock_oldest_hold_seconds", "gauge", "The age of the oldest hold.",
              [](family& to, const std::string& labels, const lock_statistics& of) {
                to.line(labels, seconds(of.oldest_hold));
              });
    each_lock("zklock_oldest_wait_seconds", "gauge", "The age of the oldest wait.",
              [](family& to, const std::string& labels, const lock_statistics& of) {
                to.line(labels, seconds(of.oldest_wait));
              });
    each_lock("zklock_removals_pending", "gauge", "Released, and not yet known to be gone from the servers.",
              [](family& to, const std::string& labels, const lock_statistics& of) { to.line(labels, of.removals); });
    each_lock("zklock_leader", "gauge", "Whether this process leads.",
              [](family& to, const std::string& labels, const lock_statistics& of) {
                if (of.kind == lock_kind::election) {
                  to.line(labels, of.holds);
                }
              });
  }

  std::ostream& to_;
  std::vector<named> sessions_;
};

}  // namespace

void write_prometheus(std::ostream& to, std::span<const session_statistics> of) { exposition(to, of).write(); }

}  // namespace zklock
