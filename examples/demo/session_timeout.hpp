#pragma once

#include <chrono>

namespace demo {

/// Short, so that no worker has to wait long behind one that was killed. A program of yours takes the default, 10 s.
inline constexpr std::chrono::milliseconds session_timeout{3000};

}  // namespace demo
