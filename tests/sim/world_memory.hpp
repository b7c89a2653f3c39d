#pragma once

namespace zklock::sim {

/// A stretch of memory for one world and all that it makes: it can be copied as it is, and put back later, at the same
/// addresses. There is one in a process, for one thread; operator new is replaced for it. With sanitizers, which have an
/// operator new of their own, there is none.
class world_memory {
 public:
  [[nodiscard]] static bool exists() noexcept;

  /// While one exists, what operator new is asked for comes from the world's memory. One at a time.
  class inside {
   public:
    inside() noexcept;
    inside(const inside&) = delete;
    inside& operator=(const inside&) = delete;
    ~inside();
  };

  /// Forgets all copies. All that was made in the memory is gone, or the process is aborted: what stays, as a static that is
  /// first used there, is to be made before.
  static void clear() noexcept;
  /// Copies are a stack.
  static void copy();
  /// The last copy, which stays.
  static void put_back() noexcept;
  static void drop_copy() noexcept;
};

}  // namespace zklock::sim
