#include "src/zookeeper/request_sender.hpp"

#include <zookeeper/zookeeper.h>

#include <variant>

#include "src/zookeeper/c_callbacks.hpp"
#include "src/zookeeper/c_types.hpp"
#include "src/zookeeper/callback_registry.hpp"

namespace zklock::client {
namespace {

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
  int operator()(const request::get_acl& one) const {
    return zoo_aget_acl(handle, one.path.c_str(), on_acl_reply, context);
  }
  int operator()(const request::multi&) const { return ZBADARGUMENTS; }  // see multi_flight
};

}  // namespace

int send_request(_zhandle* handle, std::uint32_t connection, const any_request& what, const void* context) {
  return std::visit(sender{handle, connection, context}, what);
}

}  // namespace zklock::client
