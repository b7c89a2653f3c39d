#pragma once

namespace zklock::detail {

/// Keeps the shared object that has this code (a plugin, or libzklock.so) loaded until the process ends. No effect in the
/// program itself, which is always loaded.
void stay_loaded() noexcept;

}  // namespace zklock::detail
