#pragma once

namespace zklock::client {

/// zookeeper_init makes two threads, and aborts the program when it gets none: they are tried first. Throws
/// std::system_error when they were not to be had. What others take between this and zookeeper_init it cannot know.
void require_threads_for_handle();

}  // namespace zklock::client
