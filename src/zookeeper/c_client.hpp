#pragma once

#include <memory>

#include "src/port/client.hpp"
#include "src/zookeeper/server_list.hpp"

struct _zhandle;

/// The real implementation of the port, on libzookeeper_mt.
namespace zklock::client {

/// Handles of our own: each connection is a new one, with two threads of the C client and one of its own. close() takes about
/// 1 ms, and up to 5 s with a server that is silent: on that thread, which the connection's destructor joins.
[[nodiscard]] std::shared_ptr<factory> c_client_factory(server_list servers);

/// The program's handle: never closed, its watcher never replaced. It must not be closed before on_closed. It tells us
/// of its session through our node watches and our answers only, so ask it with poll() from time to time, also while it
/// is connected (F147).
[[nodiscard]] std::shared_ptr<factory> adopted_factory(_zhandle* handle, watch_budget budget = {});

}  // namespace zklock::client
