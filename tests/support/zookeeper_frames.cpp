#include "tests/support/zookeeper_frames.hpp"

#include <algorithm>

namespace zklock::test_support {

namespace {

constexpr std::size_t length_size = 4;
constexpr std::uint32_t frame_size_max = 64U << 20;

/// Reads big-endian fields off a frame; past its end everything is zero or empty.
class field_reader {
 public:
  explicit field_reader(std::string_view frame) : rest_(frame.substr(std::min(frame.size(), length_size))) {}

  std::int32_t int32() { return static_cast<std::int32_t>(unsigned_field(4)); }
  std::int64_t int64() { return static_cast<std::int64_t>(unsigned_field(8)); }
  void skip(std::size_t count) { rest_.remove_prefix(std::min(count, rest_.size())); }
  std::string text() {
    const std::int32_t size = int32();
    if (size <= 0 || static_cast<std::size_t>(size) > rest_.size()) return {};
    std::string value(rest_.substr(0, static_cast<std::size_t>(size)));
    skip(value.size());
    return value;
  }

 private:
  std::uint64_t unsigned_field(std::size_t size) {
    std::uint64_t value = 0;
    if (rest_.size() < size) return 0;
    for (std::size_t i = 0; i < size; ++i) value = value << 8U | static_cast<unsigned char>(rest_[i]);
    skip(size);
    return value;
  }

  std::string_view rest_;
};

void put(std::string& to, std::size_t size, std::uint64_t value) {
  for (std::size_t i = size; i-- > 0;) to.push_back(static_cast<char>(value >> (8 * i) & 0xFFU));
}

std::uint32_t stated_length(std::string_view bytes) {
  std::uint32_t length = 0;
  for (std::size_t i = 0; i < length_size; ++i) length = length << 8U | static_cast<unsigned char>(bytes[i]);
  return length;
}

bool begins_with_path(std::int32_t operation) {
  return (operation >= opcode::create && operation <= opcode::sync) || operation == opcode::get_children2 ||
         operation == opcode::check || operation == opcode::create2 || (operation >= 16 && operation <= 21);
}

}  // namespace

std::optional<std::size_t> whole_frame(std::string_view bytes) {
  if (bytes.size() < length_size) return std::nullopt;
  const std::size_t size = length_size + stated_length(bytes);
  return size <= bytes.size() ? std::optional(size) : std::nullopt;
}

bool not_framed(std::string_view bytes) { return bytes.size() >= length_size && stated_length(bytes) > frame_size_max; }

request_frame parse_request(std::string_view frame) {
  field_reader fields(frame);
  request_frame request;
  request.xid = fields.int32();
  request.opcode = fields.int32();
  if (request.opcode == opcode::multi) {
    const std::int32_t first = fields.int32();
    fields.skip(1 + 4);  // done, err
    if (begins_with_path(first)) request.path = fields.text();
  } else if (begins_with_path(request.opcode)) {
    request.path = fields.text();
  }
  return request;
}

reply_frame parse_reply(std::string_view frame) {
  field_reader fields(frame);
  reply_frame reply;
  reply.xid = fields.int32();
  reply.zxid = fields.int64();
  reply.err = fields.int32();
  return reply;
}

session_credentials parse_handshake_reply(std::string_view frame) {
  field_reader fields(frame);
  fields.skip(4 + 4);  // protocol version, timeout
  session_credentials credentials;
  credentials.id = fields.int64();
  credentials.password = fields.text();
  return credentials;
}

std::string takeover_and_close(const session_credentials& victim) {
  std::string handshake;
  put(handshake, 4, 0);       // protocol version
  put(handshake, 8, 0);       // last zxid seen
  put(handshake, 4, 10'000);  // timeout in ms
  put(handshake, 8, static_cast<std::uint64_t>(victim.id));
  put(handshake, 4, victim.password.size());
  handshake += victim.password;
  put(handshake, 1, 0);  // not read-only
  std::string bytes;
  put(bytes, 4, handshake.size());
  bytes += handshake;
  put(bytes, 4, 8);
  put(bytes, 4, 1);  // xid
  put(bytes, 4, static_cast<std::uint32_t>(opcode::close_session));
  return bytes;
}

}  // namespace zklock::test_support
