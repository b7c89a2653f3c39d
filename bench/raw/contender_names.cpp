#include "bench/raw/contender_names.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace raw {
namespace {

constexpr std::size_t digits = 10;

long number_of(const char* name) {
  const std::size_t size = std::strlen(name);
  return size < digits ? -1 : std::strtol(name + size - digits, nullptr, 10);
}

}  // namespace

std::string new_contender_prefix(const std::string& lock) {
  static std::atomic<unsigned> made = 0;
  char name[64];
  std::snprintf(name, sizeof name, "/_c_%08x-3a52-4d6c-9c31-0123456789ab-lock-", ++made);
  return lock + name;
}

std::string predecessor(const String_vector& names, const std::string& own) {
  const long mine = number_of(own.c_str());
  long best = -1;
  const char* found = "";
  for (int index = 0; index < names.count; ++index) {
    const long number = number_of(names.data[index]);
    if (number < mine && number > best) {
      best = number;
      found = names.data[index];
    }
  }
  return found;
}

}  // namespace raw
