#pragma once

#include <functional>

/// Prints what the library's threads call while `call` runs, and in the 0.2 s behind it: "case NAME", and for each thread "thread"
/// and a line for each entry (+) and exit (-) of a function, with its address.
void trace(const char* name, const std::function<void()>& call);
