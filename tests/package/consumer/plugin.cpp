#include <zklock/version.hpp>

#include "take_lock.hpp"

extern "C" __attribute__((visibility("default"))) const char* plugin_takes_locks() { return take_locks(); }
extern "C" __attribute__((visibility("default"))) const char* plugin_version() { return zklock::library_version(); }
