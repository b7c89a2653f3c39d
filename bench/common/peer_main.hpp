#pragma once

#include "bench/common/lock_library.hpp"

namespace bench {

/// Does what the driver's lines ask for, until there are no more. The result is the process's exit status.
int peer_main(lock_library& library);

}  // namespace bench
