// Opens plugins, has each take locks, closes them, and sees that they are gone.
//
//     host [--global] ROUNDS PLUGIN[=VERSION]...    all of them open at once; VERSION: of zklock, that the plugin has to have
//
// --global: the symbols of each are there for the others.
#include <dlfcn.h>

#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

namespace {

using text_function = const char* (*)();

struct plugin {
  std::string path, version;
  void* opened = nullptr;
};

text_function function_of(const plugin& of, const char* name) {
  return reinterpret_cast<text_function>(dlsym(of.opened, name));
}

bool open(plugin& one, int scope) {
  one.opened = dlopen(one.path.c_str(), RTLD_NOW | scope);
  if (one.opened == nullptr) std::cout << dlerror() << '\n';
  return one.opened != nullptr;
}

bool use(const plugin& one) {
  const std::string failure = function_of(one, "plugin_takes_locks")(), version = function_of(one, "plugin_version")();
  if (!failure.empty()) std::cout << one.path << ": " << failure << '\n';
  const bool expected = one.version.empty() || one.version == version;
  if (!expected) std::cout << one.path << " runs with " << version << ", not with " << one.version << '\n';
  return failure.empty() && expected;
}

bool is_gone(const plugin& one) {
  const bool gone = dlopen(one.path.c_str(), RTLD_NOW | RTLD_NOLOAD) == nullptr;
  if (!gone) std::cout << one.path << " stays loaded\n";
  return gone;
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<std::string> words(arguments + 1, arguments + count);
  const bool global = !words.empty() && words.front() == "--global";
  if (global) words.erase(words.begin());
  if (words.size() < 2) {
    std::cerr << "usage: host [--global] ROUNDS PLUGIN[=VERSION]...\n";
    return 64;
  }
  const int rounds = std::atoi(words.front().c_str());
  words.erase(words.begin());
  std::vector<plugin> plugins;
  for (const std::string& said : words) {
    const auto equals = said.find('=');
    plugins.push_back({said.substr(0, equals), equals == std::string::npos ? "" : said.substr(equals + 1)});
  }
  bool good = true;
  for (int round = 0; round < rounds; ++round) {
    for (plugin& one : plugins) {
      if (!open(one, global ? RTLD_GLOBAL : RTLD_LOCAL)) return 1;
    }
    for (const plugin& one : plugins) good = use(one) && good;
    for (const plugin& one : plugins) dlclose(one.opened);
    for (const plugin& one : plugins) good = is_gone(one) && good;
  }
  std::cout << (good ? "opened, used, closed and gone\n" : "not as expected\n");
  return good ? 0 : 1;
}
