// What recipes/ must not do, one function each: check_purity_bites.sh wants every one of them reported.
#include <sys/random.h>
#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iostream>
#include <mutex>
#include <random>
#include <thread>

namespace impure_example {

std::chrono::nanoseconds asks_a_clock() { return std::chrono::steady_clock::now().time_since_epoch(); }
std::time_t asks_the_wall_clock() { return std::time(nullptr); }
void starts_a_thread() {
  std::thread([] {}).join();
}
void locks(std::mutex& mutex) { const std::scoped_lock guard(mutex); }
void waits(std::condition_variable& condition) { condition.notify_all(); }
bool opens_a_file(const char* name) { return std::ifstream(name).good(); }
std::FILE* opens_a_c_file(const char* name) { return std::fopen(name, "r"); }
int opens_a_socket() { return socket(AF_INET, SOCK_STREAM, 0); }
unsigned asks_for_randomness() { return std::random_device{}(); }
long asks_the_kernel_for_randomness(void* to) { return getrandom(to, 8, 0); }
void prints() { std::cout << "hello"; }

}  // namespace impure_example
