#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "src/port/client.hpp"
#include "src/threads/thread_safety.hpp"

namespace zklock::client {

class c_handle;

/// What the C client is given as a callback's context: never a pointer to an object, but the number of a connection and
/// the id of a request or watch. A callback that comes too late, for a connection that is gone, finds nothing and does
/// nothing (F76, F80); and no request needs an allocation for its context.
class callback_context {
 public:
  callback_context(std::uint32_t connection, std::uint64_t id) noexcept
      : bits_((std::uint64_t{connection} << id_bits) | (id & id_max)) {}
  explicit callback_context(const void* raw) noexcept : bits_(reinterpret_cast<std::uintptr_t>(raw)) {}

  [[nodiscard]] void* raw() const noexcept {
    static_assert(sizeof(void*) == sizeof(bits_));
    return reinterpret_cast<void*>(bits_);  // NOLINT(performance-no-int-to-ptr): it never points anywhere
  }
  [[nodiscard]] std::uint32_t connection() const noexcept { return static_cast<std::uint32_t>(bits_ >> id_bits); }
  [[nodiscard]] std::uint64_t id() const noexcept { return bits_ & id_max; }

 private:
  static constexpr int id_bits = 44;
  static_assert(id_max == (std::uint64_t{1} << id_bits) - 1);

  std::uint64_t bits_;
};

/// The connections of the process that callbacks may still come for, by number.
class callback_registry {
 public:
  [[nodiscard]] static callback_registry& instance();

  /// Gives the connection a number, which is used again only after a million others.
  [[nodiscard]] std::uint32_t add(const std::shared_ptr<c_handle>& connection);
  void remove(std::uint32_t number);
  [[nodiscard]] std::shared_ptr<c_handle> find(std::uint32_t number);

 private:
  // Callbacks of different connections come on different threads: they should not meet at one mutex.
  struct shard {
    annotated_mutex mutex;
    std::unordered_map<std::uint32_t, std::shared_ptr<c_handle>> connections ZKLOCK_GUARDED_BY(mutex);
  };

  shard& shard_of(std::uint32_t number) { return shards_[number % shards_.size()]; }

  std::atomic<std::uint32_t> last_ = 0;
  std::array<shard, 16> shards_;
};

}  // namespace zklock::client
