#include <zklock/owner.hpp>

#include "src/api/owner_number.hpp"

namespace zklock {

owner::owner() noexcept : number_(detail::new_owner_number()) {}

owner owner::this_thread() noexcept { return owner(detail::this_thread_number()); }

}  // namespace zklock
