// What docs/guide/sessions.md shows of the C client: a handle as a program makes it. Compiled alone, never run.
//! [make handle]
#define THREADED  // before the include: otherwise the header does not declare synchronous calls (zoo_get() ...)
#include <zookeeper/zookeeper.h>

// The second argument is the program's watcher function, or null for none.
zhandle_t* handle = zookeeper_init("10.0.0.1:2181/app", nullptr, 10'000, nullptr, nullptr, 0);
//! [make handle]

static_assert(sizeof(&zoo_get) != 0, "declared with THREADED alone");
