#pragma once

namespace zklock::cli {

/// The library's lines: all of them on stderr, or none.
void set_library_log(bool verbose);

}  // namespace zklock::cli
