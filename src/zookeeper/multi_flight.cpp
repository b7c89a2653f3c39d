#include "src/zookeeper/multi_flight.hpp"

#include <zookeeper/zookeeper.h>

#include <utility>

#include "src/zookeeper/c_callbacks.hpp"
#include "src/zookeeper/c_types.hpp"

namespace zklock::client {
namespace {

// Ten digits, or eleven characters when the counter is negative, and the 0 at the end.
constexpr std::size_t sequence_room = 16;

}  // namespace

struct multi_flight::body {
  request::multi what;
  std::vector<std::vector<char>> names;
  std::vector<::Stat> stats;
  std::vector<zoo_op_result_t> results;

  // One operation of the array that the C client reads while it sends.
  struct filler {
    body& flight;
    zoo_op_t& to;
    std::vector<c_acl>& acls;
    std::size_t index;

    void operator()(const request::create& from) const {
      std::vector<char>& name = flight.names[index];
      name.resize(from.path.size() + sequence_room);
      acls.emplace_back(from.acl);
      zoo_create_op_init(&to, from.path.c_str(), from.data.data(), static_cast<int>(from.data.size()),
                         acls.back().get(), translated(from.mode), name.data(), static_cast<int>(name.size()));
    }
    void operator()(const request::set& from) const {
      zoo_set_op_init(&to, from.path.c_str(), from.data.data(), static_cast<int>(from.data.size()), from.version,
                      &flight.stats[index]);
    }
    void operator()(const request::remove& from) const { zoo_delete_op_init(&to, from.path.c_str(), from.version); }
    void operator()(const request::check& from) const { zoo_check_op_init(&to, from.path.c_str(), from.version); }
  };
};

multi_flight::multi_flight(request::multi what) : body_(std::make_unique<body>()) {
  const std::size_t count = what.operations.size();
  body_->what = std::move(what);
  body_->names.resize(count);
  body_->stats.resize(count);
  body_->results.resize(count);
}

multi_flight::~multi_flight() = default;

int multi_flight::may_be_sent(_zhandle* handle) {
  const int state = zoo_state(handle);  // once: it changes meanwhile
  if (state < 0) {
    return ZINVALIDSTATE;
  }
  const bool connected = state == ZOO_CONNECTED_STATE || state == ZOO_READONLY_STATE;
  const bool may_be_found_expired = !connected && zoo_client_id(handle)->client_id != 0;
  return may_be_found_expired ? ZSYSTEMERROR : ZOK;
}

int multi_flight::send(_zhandle* handle, const void* context) {
  std::vector<zoo_op_t> operations(body_->results.size());
  std::vector<c_acl> acls;
  for (std::size_t index = 0; index < operations.size(); ++index) {
    std::visit(body::filler{*body_, operations[index], acls, index}, body_->what.operations[index]);
  }
  return zoo_amulti(handle, static_cast<int>(operations.size()), operations.data(), body_->results.data(),
                    on_multi_reply, context);
}

std::vector<part_result> multi_flight::parts() const {
  std::vector<part_result> all;
  for (std::size_t index = 0; index < body_->results.size(); ++index) {
    part_result& part = all.emplace_back();
    part.code = static_cast<code>(body_->results[index].err);
    if (part.code == code::ok && std::holds_alternative<request::create>(body_->what.operations[index])) {
      part.name = body_->names[index].data();
    }
    if (part.code == code::ok && std::holds_alternative<request::set>(body_->what.operations[index])) {
      part.stat = translated(body_->stats[index]);
    }
  }
  return all;
}

}  // namespace zklock::client
