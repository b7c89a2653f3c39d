// Compiled into every test program: what the thread sanitizer has to overlook.

extern "C" const char* __tsan_default_suppressions();  // NOLINT(bugprone-reserved-identifier): the sanitizer's name

// The C client writes a server's address into one static buffer of the process before it logs it, from the threads of
// all handles (ZOOKEEPER-4810). The innermost frame alone is matched: a rule for the whole library would hide races in
// the callbacks that it runs.
extern "C" const char* __tsan_default_suppressions() { return "race_top:vsprintf\n"; }
