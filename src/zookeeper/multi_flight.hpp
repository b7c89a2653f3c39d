#pragma once

#include <memory>

#include "src/port/client.hpp"

struct _zhandle;

namespace zklock::client {

/// A multi under way. The C client writes its results into arrays of ours whenever the answer comes, so this stays
/// until then, or until the handle is closed.
class multi_flight {
 public:
  explicit multi_flight(request::multi what);
  multi_flight(const multi_flight&) = delete;
  multi_flight& operator=(const multi_flight&) = delete;
  ~multi_flight();

  /// Whether one may be sent now: the C client's code. If a session ends while zoo_amulti builds its request, that frees
  /// paths twice, ours among them (F180). So none goes to a session that is over, nor to one that is between two
  /// connections: ZSYSTEMERROR, since ZCONNECTIONLOSS would date that request before the next connection (F181).
  [[nodiscard]] static int may_be_sent(_zhandle* handle);

  /// The C client's code.
  [[nodiscard]] int send(_zhandle* handle, const void* context);
  /// What has become of each operation: to be asked only after a server's answer.
  [[nodiscard]] std::vector<part_result> parts() const;

 private:
  struct body;
  std::unique_ptr<body> body_;
};

}  // namespace zklock::client
