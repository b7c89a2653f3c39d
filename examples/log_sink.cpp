// The library's log, in the program's own.
//
//     log_sink SERVERS          e.g. 127.0.0.1:2181/example
#include <iostream>
#include <mutex>
#include <sstream>

#include <zklock/zklock.hpp>

// A program's journal, in place of a real one.
class journal {
 public:
  void add(std::string_view level, const std::string& text, const std::string& lock) {
    const std::scoped_lock guard(mutex_);
    lines_ << level << ": " << text << (lock.empty() ? "" : "  [" + lock + "]") << '\n';
  }
  std::string text() {
    const std::scoped_lock guard(mutex_);
    return lines_.str();
  }

 private:
  std::mutex mutex_;
  std::ostringstream lines_;
};

//! [sink]
void log_to(journal& own) {
  zklock::set_log_sink([&own](const zklock::log_line& line) {
    if (line.level >= zklock::log_level::warning) {
      own.add(to_string(line.level), line.text, line.lock);  // the text is complete by itself; lock may be empty
    }
  });
}
// Before the journal is destroyed: zklock::set_log_sink({})
//! [sink]

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: log_sink SERVERS\n";
    return 64;
  }
  journal own;
  log_to(own);
  {
    zklock::session session(arguments[1]);
    zklock::recursive_mutex orders(session, "/locks/log");
    const zklock::grant g = orders.acquire();
    session.close();  // the grant is lost: a warning
  }
  zklock::set_log_sink({});
  std::cout << own.text();
  return own.text().find("[/locks/log]") != std::string::npos ? 0 : 1;
}
