#include <zklock/version.hpp>

namespace zklock {

const char* library_version() noexcept { return ZKLOCK_VERSION_STRING; }

}  // namespace zklock
