// The C client without a library: naive, or the floor.
#include <iostream>
#include <string_view>

#include "bench/common/node_count.hpp"
#include "bench/common/peer_main.hpp"
#include "bench/raw/floor.hpp"
#include "bench/raw/naive.hpp"

namespace {

class session : public bench::client_session {
 public:
  session(const std::string& servers, bool naive) : naive_(naive), handle_(servers, naive) {}
  std::unique_ptr<bench::contender> contend(const std::string& recipe, const std::string& path) override {
    // A cycle of one of these that meets no other contender sends what a mutex's does.
    const bool alike_alone = recipe == "read" || recipe == "write" || recipe == "semaphore";
    if (recipe != "mutex" && (naive_ || !alike_alone)) {
      throw bench::unsupported(recipe);
    }
    return naive_ ? raw::naive_contender(handle_, path) : raw::floor_contender(handle_, path);
  }

 private:
  const bool naive_;
  const raw::handle handle_;
};

class library : public bench::lock_library {
 public:
  library(std::string servers, bool naive) : servers_(std::move(servers)), naive_(naive), nodes_(servers_) {}
  std::unique_ptr<bench::client_session> connect() override { return std::make_unique<session>(servers_, naive_); }
  int contenders(const std::string& path) override { return nodes_.children(path); }

 private:
  const std::string servers_;
  const bool naive_;
  bench::node_count nodes_;
};

}  // namespace

int main(int count, char** arguments) {
  const std::string_view mode = count == 3 ? arguments[2] : "";
  if (mode != "naive" && mode != "floor") {
    std::cerr << "usage: zklock_bench_raw SERVERS naive|floor\n";
    return 64;
  }
  zoo_set_debug_level(ZOO_LOG_LEVEL_ERROR);
  library client(arguments[1], mode == "naive");
  return bench::peer_main(client);
}
