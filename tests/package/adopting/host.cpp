// Opens a plugin, lets it adopt the program's handle, closes it, and only then the handle, which calls back for each
// request that has no answer.
//
//     host SERVER PLUGIN
#include <dlfcn.h>
#include <zookeeper/zookeeper.h>

#include <chrono>
#include <iostream>
#include <thread>

int main(int count, char** arguments) {
  if (count != 3) return 64;
  zoo_set_debug_level(ZOO_LOG_LEVEL_ERROR);
  zhandle_t* const handle = zookeeper_init(arguments[1], nullptr, 10'000, nullptr, nullptr, 0);
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (zoo_state(handle) != ZOO_CONNECTED_STATE && std::chrono::steady_clock::now() < limit)
    std::this_thread::yield();
  if (zoo_state(handle) != ZOO_CONNECTED_STATE) {
    std::cerr << "the handle is not connected\n";
    return 1;
  }
  void* const plugin = dlopen(arguments[2], RTLD_NOW | RTLD_LOCAL);
  if (plugin == nullptr) {
    std::cerr << dlerror() << '\n';
    return 1;
  }
  const bool as_told = reinterpret_cast<bool (*)(zhandle_t*)>(dlsym(plugin, "plugin_adopts"))(handle);
  const bool closed = dlclose(plugin) == 0;
  zookeeper_close(handle);
  return as_told && closed ? 0 : 1;
}
