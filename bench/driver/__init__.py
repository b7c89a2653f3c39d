"""scripts/bench: runs the peers against one server, and says how they compare."""
