#include "examples/demo/remote_store.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <utility>

#include "examples/demo/spawn.hpp"

namespace demo {

remote_store::remote_store(std::filesystem::path file) : program_(sibling("demo_store")), file_(std::move(file)) {}

std::optional<std::int64_t> remote_store::read(std::int64_t token) const {
  const answer said = call({"read", std::to_string(token)});
  if (said.status == store_refused) return std::nullopt;
  return std::stoll(said.text);
}

bool remote_store::write(std::int64_t value, std::int64_t token) const {
  return call({"write", std::to_string(value), std::to_string(token)}).status == 0;
}

remote_store::answer remote_store::call(std::vector<std::string> words) const {
  words.insert(words.begin(), file_.string());
  pipe_ends out = new_pipe();
  const descriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const pid_t pid = spawn(program_, words, nothing.number(), out.write.number());
  out.write.close();

  answer said;
  std::array<char, 64> buffer{};
  for (ssize_t size = 0; (size = ::read(out.read.number(), buffer.data(), buffer.size())) > 0;) {
    said.text.append(buffer.data(), static_cast<std::size_t>(size));
  }
  said.status = status_of(pid);
  if (said.status != 0 && said.status != store_refused) {
    throw std::runtime_error("the store failed with status " + std::to_string(said.status));
  }
  return said;
}

}  // namespace demo
