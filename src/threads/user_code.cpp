#include "src/threads/user_code.hpp"

namespace zklock::detail {
namespace {

thread_local int calls_on_this_thread = 0;

}  // namespace

user_code_scope::user_code_scope() noexcept { ++calls_on_this_thread; }

user_code_scope::~user_code_scope() { --calls_on_this_thread; }

bool in_user_code() noexcept { return calls_on_this_thread > 0; }

std::chrono::steady_clock::time_point user_code_deadline(std::chrono::nanoseconds limit) noexcept {
  return std::chrono::steady_clock::now() + (in_user_code() ? std::chrono::nanoseconds(0) : limit);
}

std::string milliseconds_text(std::chrono::nanoseconds time) {
  return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(time).count()) + " ms";
}

}  // namespace zklock::detail
