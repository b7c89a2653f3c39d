// Writes the manual pages: zklock_manual DIRECTORY
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "src/cli/manual.hpp"

int main(int count, char** values) {
  if (count != 2) {
    static_cast<void>(std::fputs("usage: zklock_manual DIRECTORY\n", stderr));
    return 64;
  }
  for (const std::string_view page : zklock::cli::manual_pages()) {
    std::ofstream file(std::string(values[1]) + "/" + std::string(page) + ".1");
    if (!(file << zklock::cli::manual_page(page)).flush()) {
      return EXIT_FAILURE;
    }
  }
  return EXIT_SUCCESS;
}
