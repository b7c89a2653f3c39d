#pragma once

#include <memory>
#include <utility>

#include <zklock/session.hpp>

#include "src/port/client.hpp"

namespace zklock::detail {

struct connector_access {
  static connector make(std::shared_ptr<client::factory> servers) { return connector(std::move(servers)); }
  static const std::shared_ptr<client::factory>& servers(const connector& from) { return from.servers_; }
};

}  // namespace zklock::detail
