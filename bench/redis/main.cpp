// The lock that most programs build with Redis, for orientation: SET key value NX PX, polled, and a script that deletes
// the key if it still has the value. It has no queue, no event and no fencing token.
#include <hiredis/hiredis.h>

#include <iostream>
#include <random>
#include <stdexcept>
#include <thread>

#include "bench/common/peer_main.hpp"

namespace {

constexpr const char* release_script =
    "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end";
constexpr int time_to_live_ms = 30'000;
// Between two tries: a random time below this, as Redis' page of this lock advises.
constexpr int poll_us_max = 2'000;

struct reply {
  explicit reply(void* from) : of(static_cast<redisReply*>(from)) {
    if (of == nullptr || of->type == REDIS_REPLY_ERROR) {
      throw std::runtime_error(of == nullptr ? "redis: no reply" : of->str);
    }
  }
  reply(const reply&) = delete;
  reply& operator=(const reply&) = delete;
  ~reply() { freeReplyObject(of); }
  redisReply* of;
};

class connection {
 public:
  explicit connection(const std::string& server) {
    const std::size_t colon = server.find(':');
    context_ = redisConnect(server.substr(0, colon).c_str(), std::stoi(server.substr(colon + 1)));
    if (context_ == nullptr || context_->err != 0) {
      throw std::runtime_error("redis: not connected");
    }
  }
  connection(const connection&) = delete;
  connection& operator=(const connection&) = delete;
  ~connection() { redisFree(context_); }

  redisContext* get() { return context_; }

 private:
  redisContext* context_;
};

/// A connection is for one thread: each contender has its own.
class contender : public bench::contender {
 public:
  contender(const std::string& server, std::string path) : connection_(server), path_(std::move(path)) {
    const reply loaded(redisCommand(connection_.get(), "SCRIPT LOAD %s", release_script));
    script_ = loaded.of->str;
  }

  void acquire() override {
    value_ = std::to_string(random_()) + std::to_string(random_());
    while (!try_acquire()) {
      std::this_thread::sleep_for(std::chrono::microseconds(random_() % poll_us_max));
    }
  }

  void release() override {
    const reply done(
        redisCommand(connection_.get(), "EVALSHA %s 1 %s %s", script_.c_str(), path_.c_str(), value_.c_str()));
  }

 private:
  bool try_acquire() {
    const reply set(
        redisCommand(connection_.get(), "SET %s %s NX PX %d", path_.c_str(), value_.c_str(), time_to_live_ms));
    return set.of->type == REDIS_REPLY_STATUS;
  }

  connection connection_;
  const std::string path_;
  std::string script_, value_;
  std::mt19937_64 random_{std::random_device{}()};
};

class session : public bench::client_session {
 public:
  explicit session(const std::string& server) : server_(server) {}
  std::unique_ptr<bench::contender> contend(const std::string& recipe, const std::string& path) override {
    if (recipe != "mutex") {
      throw bench::unsupported(recipe);
    }
    return std::make_unique<contender>(server_, path);
  }

 private:
  const std::string& server_;
};

class library : public bench::lock_library {
 public:
  explicit library(std::string server) : server_(std::move(server)) {}
  std::unique_ptr<bench::client_session> connect() override { return std::make_unique<session>(server_); }
  int contenders(const std::string&) override { return -1; }

 private:
  const std::string server_;
};

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: zklock_bench_redis SERVER\n";
    return 64;
  }
  library redis(arguments[1]);
  return bench::peer_main(redis);
}
