#include "tests/soak/event_log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <system_error>
#include <vector>

namespace zklock::soak {

event_log::event_log(const std::filesystem::path& file)
    : file_(::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644)) {
  if (file_.get() < 0) throw std::system_error(errno, std::generic_category(), file.string());
}

void event_log::write(const event& what) const {
  const std::string line = to_line(what);
  if (::write(file_.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    throw std::system_error(errno, std::generic_category(), "event log");
  }
}

void event_tail::read(const std::function<void(std::string_view)>& to) {
  std::ifstream in(file_, std::ios::binary);
  if (!in.seekg(static_cast<std::streamoff>(read_))) return;  // not there yet
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    to(std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
  }
  read_ += begin;
}

void event_tail::start_afresh() {
  std::error_code not_there;
  std::filesystem::resize_file(file_, 0, not_there);
  read_ = 0;
}

}  // namespace zklock::soak
