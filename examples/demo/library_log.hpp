#pragma once

namespace demo {

/// The library logs to the spdlog logger named "zklock". The demo prints every loss itself.
void silence_the_library();

}  // namespace demo
