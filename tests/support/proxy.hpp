#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "tests/support/zookeeper_frames.hpp"

namespace zklock::test_support {

enum class proxy_mode : std::uint8_t {
  pass,
  hold,           ///< connections stay, new ones are accepted, nothing is forwarded
  hold_requests,  ///< the same, from the client to the server only
  hold_replies,   ///< the same, from the server to the client only
  cut,            ///< existing connections are reset, new ones as soon as they come
  refuse,         ///< new connections are reset, existing ones go on
};

/// What becomes of a frame, as a hook decides.
enum class verdict : std::uint8_t {
  pass,
  cut_before,  ///< the connection is reset, the frame not forwarded: a request is not applied, a reply is lost
  /// A request: forwarded, nothing behind it is, and the connection is reset in place of its reply: applied, but the
  /// client cannot know. A reply: forwarded, then the connection is closed.
  cut_after,
};

/// A TCP proxy on 127.0.0.1 in front of one server, in this process, for faults on demand. A whole frame is forwarded
/// at a time, so a cut never leaves half a request behind. What was held is delivered once it passes again, late; to
/// lose it, cut first. One thread of its own does it all; the member functions are safe from any other thread (not
/// from a hook) and return when what they ask for is so.
class proxy {
 public:
  /// What the bytes are: `bytes` knows no frames, so it calls on_bytes() alone.
  enum class protocol : std::uint8_t { zookeeper, bytes };

  explicit proxy(std::uint16_t server_port, protocol speaks = protocol::zookeeper);
  ~proxy();  ///< resets what is open
  proxy(const proxy&) = delete;
  proxy& operator=(const proxy&) = delete;

  [[nodiscard]] std::uint16_t port() const noexcept;
  /// "127.0.0.1:port", to connect to.
  [[nodiscard]] std::string address() const;

  void set_mode(proxy_mode mode);
  /// Each piece is forwarded that much later, in both directions.
  void set_delay(std::chrono::milliseconds delay);
  /// A client is reset when the server takes no connection for that long; at first: at once.
  void set_patience(std::chrono::milliseconds patience);
  /// Resets what is open now; the mode stays, so the client may come back at once.
  void cut_now();
  /// Resets the clients' ends of what is open now. The servers' ends stay open and silent, until a cut.
  void reset_clients();

  /// Hooks see each frame before it is forwarded, handshakes, pings and events included. They run on the proxy's
  /// thread, and must not block or throw. An empty function: no hook. When this returns, the former one is not called
  /// any more.
  void on_request(std::function<verdict(const request_frame&)> hook);
  void on_reply(std::function<verdict(const reply_frame&)> hook);
  /// Sees what a client sends where no frames are known, in pieces as they come. Otherwise as the hooks.
  void on_bytes(std::function<void(std::string_view)> hook);

  /// Each frame that goes on may be changed on its way, handshakes included: with its length, which stands in front.
  /// Otherwise as the hooks.
  void rewrite_requests(std::function<void(const request_frame&, std::string& frame)> hook);
  void rewrite_replies(std::function<void(const reply_frame&, std::string& frame)> hook);

  /// How many connections were accepted up to now (also those reset at once), and how many are open.
  [[nodiscard]] std::size_t accepted() const;
  [[nodiscard]] std::size_t open() const;
  /// Of the session that was last seen to be established through this proxy; id 0: none.
  [[nodiscard]] session_credentials last_session() const;

 private:
  class loop;
  std::unique_ptr<loop> loop_;
};

/// It is unknown what has become of the request.
class no_answer : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Ends a client's session, on the server at 127.0.0.1:port, behind its client's back; returns when the server has
/// done so. Throws std::runtime_error when there is no such session, no_answer when the server hangs up first.
void expire_session(std::uint16_t port, const session_credentials& victim);

}  // namespace zklock::test_support
