// What the standard asks of lockable types ([thread.req.lockable], [thread.sharedtimedmutex.requirements]), expression by
// expression, at compile time.
#include <zklock/zklock.hpp>

#include <chrono>
#include <concepts>
#include <ratio>
#include <type_traits>
#include <utility>

namespace zklock::test {
namespace {

using thirds = std::chrono::duration<int, std::ratio<1, 3>>;
using real_seconds = std::chrono::duration<double>;
using odd_point = std::chrono::time_point<std::chrono::system_clock, thirds>;

template <class Lock>
concept basic_lockable = requires(Lock& lock) {
  { lock.lock() } -> std::same_as<void>;
  { lock.unlock() } -> std::same_as<void>;
  requires noexcept(lock.unlock());
};

template <class Lock>
concept lockable_as_std = basic_lockable<Lock> && requires(Lock& lock) {
  { lock.try_lock() } -> std::same_as<bool>;
};

template <class Lock>
concept timed_lockable = lockable_as_std<Lock> &&
    requires(Lock& lock, std::chrono::hours hours, real_seconds seconds, thirds odd,
             std::chrono::steady_clock::time_point steady, std::chrono::system_clock::time_point system,
             boot_clock::time_point boot, odd_point odd_until) {
  { lock.try_lock_for(hours) } -> std::same_as<bool>;
  { lock.try_lock_for(seconds) } -> std::same_as<bool>;
  { lock.try_lock_for(odd) } -> std::same_as<bool>;
  { lock.try_lock_until(steady) } -> std::same_as<bool>;
  { lock.try_lock_until(system) } -> std::same_as<bool>;
  { lock.try_lock_until(boot) } -> std::same_as<bool>;
  { lock.try_lock_until(odd_until) } -> std::same_as<bool>;
};

template <class Lock>
concept shared_timed_lockable = timed_lockable<Lock> &&
    requires(Lock& lock, real_seconds seconds, thirds odd, std::chrono::steady_clock::time_point steady,
             odd_point odd_until) {
  { lock.lock_shared() } -> std::same_as<void>;
  { lock.try_lock_shared() } -> std::same_as<bool>;
  { lock.try_lock_shared_for(seconds) } -> std::same_as<bool>;
  { lock.try_lock_shared_for(odd) } -> std::same_as<bool>;
  { lock.try_lock_shared_until(steady) } -> std::same_as<bool>;
  { lock.try_lock_shared_until(odd_until) } -> std::same_as<bool>;
  { lock.unlock_shared() } -> std::same_as<void>;
  requires noexcept(lock.unlock_shared());
};

static_assert(timed_lockable<recursive_mutex>);
static_assert(timed_lockable<semaphore_mutex>);
static_assert(shared_timed_lockable<shared_mutex>);
static_assert(timed_lockable<lock_view>);
static_assert(timed_lockable<multi_lock>);
static_assert(!basic_lockable<semaphore>, "how many permits has to be said: permits(n)");
static_assert(!shared_timed_lockable<recursive_mutex> && !shared_timed_lockable<lock_view>);

template <class Type>
concept stays_where_it_is = !std::copy_constructible<Type> && !std::is_copy_assignable_v<Type> &&
                            !std::move_constructible<Type> && !std::is_move_assignable_v<Type>;

static_assert(stays_where_it_is<recursive_mutex>);
static_assert(stays_where_it_is<semaphore_mutex>);
static_assert(stays_where_it_is<shared_mutex>);
static_assert(stays_where_it_is<semaphore>);
static_assert(stays_where_it_is<multi_lock>);
static_assert(stays_where_it_is<session>);

static_assert(std::copyable<lock_view> && !std::default_initializable<lock_view>, "a view is always of some lock");

static_assert(!std::copy_constructible<grant> && !std::is_copy_assignable_v<grant>);
static_assert(std::is_nothrow_move_constructible_v<grant> && std::is_nothrow_move_assignable_v<grant>);
static_assert(std::is_nothrow_default_constructible_v<grant> && std::is_nothrow_destructible_v<grant>);
static_assert(!std::convertible_to<grant, bool> && std::constructible_from<bool, grant>, "explicit operator bool");
static_assert(noexcept(std::declval<grant&>().held()));

template <class Lock>
concept is_its_own_view = std::convertible_to<Lock&, lock_view> && !std::convertible_to<Lock, lock_view>;
static_assert(is_its_own_view<recursive_mutex> && is_its_own_view<semaphore_mutex> && is_its_own_view<shared_mutex> &&
                  is_its_own_view<semaphore> && is_its_own_view<multi_lock>,
              "of what its own acquire() acquires");

}  // namespace
}  // namespace zklock::test
