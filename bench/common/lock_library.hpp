#pragma once

#include <memory>
#include <stdexcept>
#include <string>

namespace bench {

/// What a workload does with a lock, for each library in the same words. One contender is used by one thread at a time.
class contender {
 public:
  virtual ~contender() = default;
  virtual void acquire() = 0;
  /// As a user of that library releases: with or without waiting for the servers.
  virtual void release() = 0;
  /// Waits until a server has confirmed the release.
  virtual void release_confirmed() { release(); }
};

/// A session with the servers. Contenders do not outlive it.
class client_session {
 public:
  virtual ~client_session() = default;
  /// `recipe`: mutex, reentrant, read, write, semaphore or multi. Throws `unsupported`.
  virtual std::unique_ptr<contender> contend(const std::string& recipe, const std::string& path) = 0;
};

class lock_library {
 public:
  virtual ~lock_library() = default;
  /// Returns when the session is connected.
  virtual std::unique_ptr<client_session> connect() = 0;
  /// How many contenders stand at this path; negative when the servers cannot be asked.
  virtual int contenders(const std::string& path) = 0;
};

/// The library lacks what a workload needs.
struct unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace bench
