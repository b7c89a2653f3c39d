#include "src/cli/own_program.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "src/cli/owned_descriptor.hpp"

namespace zklock::cli {
namespace {

int own_program() {
  static const owned_descriptor opened(open("/proc/self/exe", O_PATH | O_CLOEXEC), "/proc/self/exe");
  return opened.get();
}

}  // namespace

void open_own_program() { static_cast<void>(own_program()); }

void execute_own_program(char* const* words) {
  fexecve(own_program(), words, environ);
  execv("/proc/self/exe", words);  // where execveat() is forbidden
}

}  // namespace zklock::cli
