#pragma once

/// Takes and gives back a lock of each kind, on an ensemble in memory. Empty: all went well; otherwise what did not.
const char* take_locks();
