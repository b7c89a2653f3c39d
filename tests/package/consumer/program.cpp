#include <iostream>

#include "take_lock.hpp"

int main() {
  const char* failure = take_locks();
  std::cout << (*failure == '\0' ? "locks taken and given back" : failure) << '\n';
  return *failure == '\0' ? 0 : 1;
}
