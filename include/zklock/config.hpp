#pragma once

/// Checks the compiler. Each header includes this one first.

#if __cplusplus < 202002L
#error "zklock needs C++20: compile with -std=c++20 or later"
#endif
#if !defined(__cpp_exceptions)
#error "zklock reports errors by exceptions: compile without -fno-exceptions"
#endif
#if !defined(__cpp_rtti)
#error "zklock needs run-time type information: compile without -fno-rtti"
#endif

#include <version>
#if !defined(__cpp_lib_jthread)
#error "zklock needs <stop_token>, which this C++ library lacks: use libstdc++, or libc++ 20 or later"
#endif

/// A program that links the static library (ZKLOCK_STATIC) does not export the library's compiled symbols. For a
/// plugin see docs/guide/use_in_your_project.md.
#if defined(ZKLOCK_STATIC)
#define ZKLOCK_EXPORT
#else
#define ZKLOCK_EXPORT [[gnu::visibility("default")]]
#endif
