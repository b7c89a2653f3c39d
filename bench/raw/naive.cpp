#include "bench/raw/naive.hpp"

#include "bench/raw/contender_names.hpp"
#include "bench/raw/wake_up.hpp"

namespace raw {
namespace {

const std::string address = "127.0.0.1";  // Curator's default data

class contender : public bench::contender {
 public:
  contender(const handle& with, std::string lock) : handle_(with.get()), lock_(std::move(lock)) {
    make_path(with, lock_);
  }

  void acquire() override {
    char path[512];
    check(zoo_create(handle_, new_contender_prefix(lock_).c_str(), address.data(), static_cast<int>(address.size()),
                     &ZOO_OPEN_ACL_UNSAFE, ZOO_EPHEMERAL_SEQUENTIAL, path, sizeof path),
          "zoo_create");
    own_ = path;
    for (;;) {
      String_vector names{};
      check(zoo_get_children(handle_, lock_.c_str(), 0, &names), "zoo_get_children");
      const std::string before = predecessor(names, own_);
      deallocate_String_vector(&names);
      if (before.empty()) {
        return;
      }
      Stat stat{};
      const int rc = zoo_wexists(handle_, (lock_ + "/" + before).c_str(), on_event, this, &stat);
      if (rc == ZOK) {
        event_.wait();
      } else if (rc != ZNONODE) {  // then its watch never fires
        check(rc, "zoo_wexists");
      }
    }
  }

  void release() override { check(zoo_delete(handle_, own_.c_str(), -1), "zoo_delete"); }

 private:
  static void on_event(zhandle_t*, int type, int, const char*, void* context) {
    if (type == ZOO_DELETED_EVENT) {
      static_cast<contender*>(context)->event_.set();
    }
  }

  zhandle_t* const handle_;
  const std::string lock_;
  std::string own_;
  wake_up event_;
};

}  // namespace

std::unique_ptr<bench::contender> naive_contender(const handle& with, const std::string& lock) {
  return std::make_unique<contender>(with, lock);
}

}  // namespace raw
