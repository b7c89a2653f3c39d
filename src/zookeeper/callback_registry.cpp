#include "src/zookeeper/callback_registry.hpp"

namespace zklock::client {
namespace {

constexpr std::uint32_t number_mask = (std::uint32_t{1} << 20) - 1;

}  // namespace

callback_registry& callback_registry::instance() {
  // Never destroyed: an adopted handle's threads may call back while the program's statics go.
  static auto& registry = *new callback_registry;
  return registry;
}

std::uint32_t callback_registry::add(const std::shared_ptr<c_handle>& connection) {
  for (;;) {
    const std::uint32_t number = ++last_ & number_mask;
    if (number == 0) {
      continue;
    }
    shard& home = shard_of(number);
    const scoped_lock_on lock(home.mutex);
    if (home.connections.try_emplace(number, connection).second) {
      return number;
    }
  }
}

void callback_registry::remove(std::uint32_t number) {
  std::shared_ptr<c_handle> last;  // destroyed after the mutex has been given back
  shard& home = shard_of(number);
  const scoped_lock_on lock(home.mutex);
  if (const auto found = home.connections.find(number); found != home.connections.end()) {
    last = std::move(found->second);
    home.connections.erase(found);
  }
}

std::shared_ptr<c_handle> callback_registry::find(std::uint32_t number) {
  shard& home = shard_of(number);
  const scoped_lock_on lock(home.mutex);
  const auto found = home.connections.find(number);
  return found == home.connections.end() ? nullptr : found->second;
}

}  // namespace zklock::client
