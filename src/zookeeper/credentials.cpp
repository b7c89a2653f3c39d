#include "src/zookeeper/credentials.hpp"

#include <zookeeper/zookeeper.h>

namespace zklock::client {

bool credentials::given_to(_zhandle* handle) {
  if (given_) {
    return true;
  }
  const scoped_lock_on lock(mutex_);  // once: each call that succeeds is kept by the C client, and sent
  if (!given_) {
    // A refusal is told by the handle's state: the answer is told once, and may be that of a connection that was lost.
    given_ = zoo_add_auth(handle, scheme_.c_str(), text_.data(), static_cast<int>(text_.size()), nullptr, nullptr) == ZOK;
  }
  return given_;
}

}  // namespace zklock::client
