// Compiled into every test program, and with a sanitizer into the command that they start: what the sanitizers have to
// overlook: in the C client, and in libstdc++.

extern "C" const char* __tsan_default_suppressions();  // NOLINT(bugprone-reserved-identifier): the sanitizer's name

// The C client writes a server's address into one static buffer of the process before it logs it, from the threads of
// all handles (ZOOKEEPER-4810). The innermost frame alone is matched: a rule for the whole library would hide races in
// the callbacks that it runs.
// libstdc++.so counts the references to an exception itself, uninstrumented: who is last frees what another thread has read.
extern "C" const char* __tsan_default_suppressions() {
  return "race_top:vsprintf\nrace:std::__exception_ptr::exception_ptr::_M_release\n";
}

extern "C" const char* __lsan_default_suppressions();  // NOLINT(bugprone-reserved-identifier): the sanitizer's name

// Closing a handle with requests under way loses some of their completions, and the memory that goes with them
// (ZOOKEEPER-2894, F76). It may hide what is allocated in our callbacks, too: above the port that is looked after by the
// suites that run on the fake ensemble.
extern "C" const char* __lsan_default_suppressions() { return "leak:libzookeeper_mt.so\n"; }

extern "C" const char* __lsan_default_options();  // NOLINT(bugprone-reserved-identifier): the sanitizer's name

// What the command says last is compared: no table of what was overlooked behind it.
extern "C" const char* __lsan_default_options() { return "print_suppressions=0"; }
