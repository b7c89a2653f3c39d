#include "src/zookeeper/c_callbacks.hpp"

#include <zookeeper/zookeeper.h>

#include <string>
#include <utility>
#include <vector>

#include "src/zookeeper/c_handle.hpp"
#include "src/zookeeper/c_types.hpp"
#include "src/zookeeper/callback_registry.hpp"
#include "src/zookeeper/multi_flight.hpp"

namespace zklock::client {
namespace {

template <class Fill>
void deliver_reply(int rc, const void* context, Fill&& fill) {
  const callback_context whose(context);
  if (const auto target = callback_registry::instance().find(whose.connection())) {
    reply_view answer;
    answer.code = static_cast<code>(rc);
    if (rc == ZOK) {
      std::forward<Fill>(fill)(answer);
    }
    target->on_reply(whose.id(), answer);
  }
}

void fill_stat(reply_view& answer, const Stat* stat) {
  if (stat != nullptr) {
    answer.stat = translated(*stat);
  }
}

}  // namespace

void on_session_event(_zhandle* /*handle*/, int type, int state, const char* /*path*/, void* context) noexcept {
  const callback_context whose(context);
  if (const auto target = callback_registry::instance().find(whose.connection()); target && type == ZOO_SESSION_EVENT) {
    target->on_session(state);
  }
}

void on_node_watch(_zhandle* /*handle*/, int type, int state, const char* /*path*/, void* context) noexcept {
  const callback_context whose(context);
  if (const auto target = callback_registry::instance().find(whose.connection())) {
    target->on_watch(whose.id(), type, state);
  }
}

void on_create_reply(int rc, const char* name, const Stat* stat, const void* context) noexcept {
  deliver_reply(rc, context, [&](reply_view& answer) {
    answer.name = name;
    fill_stat(answer, stat);
  });
}

void on_list_reply(int rc, const String_vector* names, const Stat* stat, const void* context) noexcept {
  deliver_reply(rc, context, [&](reply_view& answer) {
    answer.children = {names->data, static_cast<std::size_t>(names->count)};
    fill_stat(answer, stat);
  });
}

void on_get_reply(int rc, const char* data, int size, const Stat* stat, const void* context) noexcept {
  deliver_reply(rc, context, [&](reply_view& answer) {
    if (data != nullptr && size > 0) {
      answer.data = {data, static_cast<std::size_t>(size)};
    }
    fill_stat(answer, stat);
  });
}

void on_stat_reply(int rc, const Stat* stat, const void* context) noexcept {
  deliver_reply(rc, context, [&](reply_view& answer) { fill_stat(answer, stat); });
}

void on_remove_reply(int rc, const void* context) noexcept {
  deliver_reply(rc, context, [](reply_view&) {});
}

void on_sync_reply(int rc, const char* /*path*/, const void* context) noexcept {
  deliver_reply(rc, context, [](reply_view&) {});
}

void on_acl_reply(int rc, ACL_vector* entries, Stat* stat, const void* context) noexcept {
  std::vector<acl_entry> all;
  deliver_reply(rc, context, [&](reply_view& answer) {
    all = translated(*entries);
    answer.acl = all;
    fill_stat(answer, stat);
  });
}

void on_multi_reply(int rc, const void* context) noexcept {
  const callback_context whose(context);
  const auto target = callback_registry::instance().find(whose.connection());
  if (!target) {
    return;
  }
  reply answer;
  answer.code = static_cast<code>(rc);
  const auto flight = target->take_flight(whose.id());
  // Else the results were not written. Of a session that is over the leader may have said so for one part (F194), or the
  // C client for the whole: then all results are as they were at first, without an error.
  if (flight && (recipes::answered_by_server(answer.code) || answer.code == code::session_expired)) {
    answer.parts = flight->parts();
  }
  target->on_reply(whose.id(), answer);
}

}  // namespace zklock::client
