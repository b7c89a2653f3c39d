#include "src/threads/stay_loaded.hpp"

#include <dlfcn.h>

namespace zklock::detail {

// The C client cannot take back a callback that it has been given with a request or a watch. It calls it whenever the
// answer or the event comes, at the latest from the program's zookeeper_close(): a plugin may be closed before that.
void stay_loaded() noexcept {
  static const char in_this_object = '\0';
  Dl_info object{};
  if (dladdr(&in_this_object, &object) != 0 && object.dli_fname != nullptr) {
    // Not closed again, and a failure is no matter: then it is the program that this code is linked into.
    (void)dlopen(object.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
  }
}

}  // namespace zklock::detail
