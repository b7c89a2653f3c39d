#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace zklock::test {

/// The processes that live (no zombies) and have all these texts in their environment. Every descendant of a program
/// has what that was given, whatever became of parents, groups and sessions.
[[nodiscard]] std::vector<pid_t> processes_with(const std::vector<std::string>& texts);

/// Of one of them: "zklock", "lock-guardian" ...; empty when it has ended.
[[nodiscard]] std::string name_of_process(pid_t pid);
[[nodiscard]] std::vector<pid_t> children_of_process(pid_t pid);
/// The signals that it blocks, as /proc has them.
[[nodiscard]] std::string blocked_by_process(pid_t pid);
/// As ps has it: T: stopped ...; '?' when it has ended.
[[nodiscard]] char state_of_process(pid_t pid);

}  // namespace zklock::test
