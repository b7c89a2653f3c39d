#include <zklock/contract.hpp>

#include <atomic>
#include <exception>
#include <string>

#include "src/api/contract.hpp"
#include "src/log/log.hpp"

namespace zklock {
namespace {

std::atomic<contract_handler> handler{nullptr};

}  // namespace

contract_handler set_contract_handler(contract_handler next) noexcept { return handler.exchange(next); }

namespace detail {

void contract_violated(const char* operation, const char* path) noexcept {
  log::write({log_level::error, std::string(operation) + " " + path + ": its owner does not hold the lock", path});
  if (const contract_handler chosen = handler.load()) {
    chosen(operation, path);
  } else {
    std::terminate();
  }
}

}  // namespace detail
}  // namespace zklock
