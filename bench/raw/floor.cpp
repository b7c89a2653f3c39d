#include "bench/raw/floor.hpp"

#include <cstdio>
#include <cstdlib>

#include "bench/raw/contender_names.hpp"
#include "bench/raw/wake_up.hpp"

namespace raw {
namespace {

const std::string address = "127.0.0.1";  // Curator's default data

/// In a callback of the C client there is no caller to tell.
void check_or_exit(int rc, const char* what) {
  if (rc != ZOK) {
    std::fprintf(stderr, "floor: %s: %s\n", what, zerror(rc));
    std::_Exit(1);
  }
}

void on_removed(int rc, const void*) {
  if (rc != ZCLOSING) {  // the session's end removes the node
    check_or_exit(rc, "delete");
  }
}

class contender : public bench::contender {
 public:
  contender(const handle& with, std::string lock) : handle_(with.get()), lock_(std::move(lock)) {
    make_path(with, lock_);
  }

  void acquire() override {
    check(zoo_acreate(handle_, new_contender_prefix(lock_).c_str(), address.data(), static_cast<int>(address.size()),
                      &ZOO_OPEN_ACL_UNSAFE, ZOO_EPHEMERAL_SEQUENTIAL, on_created, this),
          "zoo_acreate");
    check(zoo_aget_children(handle_, lock_.c_str(), 0, on_listed, this), "zoo_aget_children");
    changed_.wait();
  }

  void release() override { check(zoo_adelete(handle_, own_.c_str(), -1, on_removed, nullptr), "zoo_adelete"); }

  void release_confirmed() override {
    check(zoo_adelete(handle_, own_.c_str(), -1, on_confirmed, this), "zoo_adelete");
    changed_.wait();
  }

 private:
  static contender& of(const void* context) { return *static_cast<contender*>(const_cast<void*>(context)); }

  static void on_created(int rc, const char* path, const void* context) {
    check_or_exit(rc, "create");
    of(context).own_ = path;
  }

  static void on_listed(int rc, const String_vector* names, const void* context) {
    check_or_exit(rc, "list");
    contender& self = of(context);
    const std::string before = predecessor(*names, self.own_);
    if (before.empty()) {
      self.changed_.set();
      return;
    }
    check_or_exit(zoo_awexists(self.handle_, (self.lock_ + "/" + before).c_str(), on_event, &self, on_looked, &self),
                  "exists");
  }

  static void on_looked(int rc, const Stat*, const void* context) {
    if (rc == ZNONODE) {
      of(context).changed_.set();  // its watch never fires
    } else {
      check_or_exit(rc, "exists");
    }
  }

  static void on_event(zhandle_t*, int type, int, const char*, void* context) {
    if (type == ZOO_DELETED_EVENT) {
      of(context).changed_.set();
    }
  }

  static void on_confirmed(int rc, const void* context) {
    check_or_exit(rc, "delete");
    of(context).changed_.set();
  }

  zhandle_t* const handle_;
  const std::string lock_;
  std::string own_;
  wake_up changed_;
};

}  // namespace

std::unique_ptr<bench::contender> floor_contender(const handle& with, const std::string& lock) {
  return std::make_unique<contender>(with, lock);
}

}  // namespace raw
