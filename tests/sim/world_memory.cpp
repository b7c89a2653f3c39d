#include "tests/sim/world_memory.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <vector>

namespace zklock::sim {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)

bool world_memory::exists() noexcept { return false; }
world_memory::inside::inside() noexcept = default;
world_memory::inside::~inside() = default;
void world_memory::clear() noexcept {}
void world_memory::copy() {}
void world_memory::put_back() noexcept {}
void world_memory::drop_copy() noexcept {}

#else

namespace {

constexpr std::size_t grain = 16;         // sizes of blocks up to `fine`, and their alignment
constexpr std::size_t fine = 64 * grain;  // larger ones: powers of two
constexpr std::size_t classes = 64 + 1 + 20;

/// In front of each block, and again in front of what is aligned within it. A free one has the next free one of its class in
/// its place.
struct alignas(grain) header {
  std::uint32_t of_class;
  std::uint32_t from_begin;  ///< of the block's first header to this one
};

/// At the beginning of the memory, so that it is copied with it.
struct books {
  std::size_t used;
  std::size_t blocks;  ///< taken, and not given back
  std::array<header*, classes> free;
};

constexpr std::size_t capacity = std::size_t{64} << 20U;
alignas(4096) std::array<std::byte, capacity> memory;
constexpr std::size_t begin = (sizeof(books) + grain - 1) / grain * grain;
bool is_inside = false;
std::vector<std::byte> copied;    // one behind the other
std::vector<std::size_t> copies;  // where each begins

books& all() noexcept { return *std::launder(reinterpret_cast<books*>(memory.data())); }

std::size_t class_of(std::size_t size) noexcept {
  return size <= fine ? (size + grain - 1) / grain : 64 + static_cast<std::size_t>(std::bit_width((size - 1) / fine));
}

std::size_t size_of(std::size_t of_class) noexcept {
  return of_class <= 64 ? of_class * grain : fine << (of_class - 64);
}

header*& next(header* block) noexcept { return *reinterpret_cast<header**>(block + 1); }

void* take(std::size_t size) {
  const std::size_t of_class = class_of(size == 0 ? 1 : size);
  books& now = all();
  ++now.blocks;
  if (of_class < classes && now.free[of_class] != nullptr) {
    header* const block = now.free[of_class];
    now.free[of_class] = next(block);
    return block + 1;
  }
  const std::size_t whole = sizeof(header) + (of_class < classes ? size_of(of_class) : capacity);
  if (whole > capacity - now.used) {
    throw std::bad_alloc();
  }
  auto* const block = new (memory.data() + now.used) header{static_cast<std::uint32_t>(of_class), 0};
  now.used += whole;
  return block + 1;
}

void* take_aligned(std::size_t size, std::size_t alignment) {
  if (size > capacity || alignment > capacity) {
    throw std::bad_alloc();
  }
  std::size_t space = size + alignment;
  void* const block = take(space);
  void* aligned = block;
  if (std::align(alignment, size, aligned, space) != block) {
    const auto distance = static_cast<std::uint32_t>(static_cast<std::byte*>(aligned) - static_cast<std::byte*>(block));
    new (static_cast<header*>(aligned) - 1) header{(static_cast<header*>(block) - 1)->of_class, distance};
  }
  return aligned;
}

void give(void* what) noexcept {
  const header& nearest = *(static_cast<header*>(what) - 1);
  header* const block =
      static_cast<header*>(static_cast<void*>(static_cast<std::byte*>(what) - nearest.from_begin)) - 1;
  --all().blocks;
  next(block) = all().free[block->of_class];
  all().free[block->of_class] = block;
}

bool is_ours(const void* what) noexcept {
  return std::greater_equal<>()(what, static_cast<const void*>(memory.data())) &&
         std::less<>()(what, static_cast<const void*>(memory.data() + capacity));
}

}  // namespace

bool world_memory::exists() noexcept { return true; }

world_memory::inside::inside() noexcept { is_inside = true; }
world_memory::inside::~inside() { is_inside = false; }

void world_memory::clear() noexcept {
  if (all().blocks != 0) {
    std::fprintf(stderr, "%zu blocks are left in the world's memory: something that stays was made in it\n",
                 all().blocks);
    std::abort();
  }
  new (memory.data()) books{begin, 0, {}};
  copied.clear();
  copies.clear();
}

void world_memory::copy() {
  copies.push_back(copied.size());
  copied.insert(copied.end(), memory.data(), memory.data() + all().used);
}

void world_memory::put_back() noexcept {
  std::memcpy(memory.data(), copied.data() + copies.back(), copied.size() - copies.back());
}

void world_memory::drop_copy() noexcept {
  copied.resize(copies.back());
  copies.pop_back();
}

#endif

}  // namespace zklock::sim

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

void* operator new(std::size_t size) {
  if (zklock::sim::is_inside) {
    return zklock::sim::take(size);
  }
  void* const made = std::malloc(size == 0 ? 1 : size);
  return made != nullptr ? made : throw std::bad_alloc();
}

void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto to = static_cast<std::size_t>(alignment);
  if (zklock::sim::is_inside) {
    return zklock::sim::take_aligned(size, to);
  }
  void* const made = std::aligned_alloc(to, (size + to - 1) / to * to);
  return made != nullptr ? made : throw std::bad_alloc();
}

void operator delete(void* what) noexcept { zklock::sim::is_ours(what) ? zklock::sim::give(what) : std::free(what); }
void operator delete(void* what, std::size_t /*size*/) noexcept { operator delete(what); }
void operator delete(void* what, std::align_val_t /*alignment*/) noexcept { operator delete(what); }
void operator delete(void* what, std::size_t /*size*/, std::align_val_t /*alignment*/) noexcept {
  operator delete(what);
}

#endif
