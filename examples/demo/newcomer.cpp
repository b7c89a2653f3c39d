#include "examples/demo/newcomer.hpp"

#include <chrono>
#include <stdexcept>

#include <zklock/zklock.hpp>

#include "examples/demo/library_log.hpp"

namespace demo {

std::optional<std::int64_t> token_of_a_newcomer(const std::string& servers, const std::string& lock) {
  using namespace std::chrono_literals;
  silence_the_library();
  zklock::session session(servers, {.label = "newcomer"});
  if (!session.wait_connected_for(10s)) throw std::runtime_error("no ZooKeeper at " + servers);
  zklock::recursive_mutex mutex(session, lock);
  const zklock::grant grant = mutex.try_acquire();
  if (!grant) return std::nullopt;
  return grant.token().number();
}

}  // namespace demo
