// The store of the demo, as a program: each call is a process of its own, and all that it goes by is the token.
//
//     demo_store FILE read TOKEN            prints the value
//     demo_store FILE write VALUE TOKEN
//
// Exits 0, or 3 if it refuses a token that is smaller than one it has seen.
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "examples/demo/remote_store.hpp"
#include "examples/demo/token_store.hpp"

namespace {

constexpr int bad_usage = 64;

struct usage_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::int64_t number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.begin(), text.end(), value);
  if (error != std::errc() || end != text.end()) throw usage_error("not a number: '" + std::string(text) + "'");
  return value;
}

int serve(std::span<char*> arguments) {
  if (arguments.size() < 2) throw usage_error("demo_store FILE read TOKEN | demo_store FILE write VALUE TOKEN");
  demo::token_store store(arguments[0]);
  const std::string_view call = arguments[1];
  if (call == "read" && arguments.size() == 3) {
    const auto found = store.read(number(arguments[2]));
    if (!found) return demo::store_refused;
    std::cout << found->value << std::endl;
    return EXIT_SUCCESS;
  }
  if (call == "write" && arguments.size() == 4) {
    return store.write(number(arguments[2]), number(arguments[3])) ? EXIT_SUCCESS : demo::store_refused;
  }
  throw usage_error("not understood: '" + std::string(call) + "' with " + std::to_string(arguments.size() - 2) +
                    " arguments");
}

}  // namespace

int main(int argc, char** argv) try {
  return serve(std::span(argv, static_cast<std::size_t>(argc)).subspan(1));
} catch (const usage_error& error) {
  std::cerr << "demo_store: " << error.what() << '\n';
  return bad_usage;
} catch (const std::exception& error) {
  std::cerr << "demo_store: " << error.what() << '\n';
  return EXIT_FAILURE;
}
