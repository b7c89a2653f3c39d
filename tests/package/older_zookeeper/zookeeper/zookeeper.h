// In place of an older C client's header, for a test of the configure step.
