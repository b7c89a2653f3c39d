#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zklock::client {

/// The servers of an ensemble, and the path under which everything is done: "host[:port],host[:port]/chroot". Pure.
///
/// The chroot is never given to the C client, which would want its node to exist: the user of the list puts it in
/// front of the paths.
class server_list {
 public:
  /// Throws zklock::error (errc::invalid_server_list), naming the text and what is wrong with it: no server, an empty
  /// entry, no host, a port outside 1..65535, a chroot that is no path or has a separator, a scheme in front. Spaces
  /// around entries are dropped. Without a port it is 2181. An address of IPv6 may stand in brackets.
  [[nodiscard]] static server_list parse(std::string_view text);

  /// Of these, as servers() has them.
  [[nodiscard]] static server_list of_addresses(std::vector<std::string> all) {
    server_list list;
    list.servers_ = std::move(all);
    return list;
  }

  /// "host:port", in the order given; of IPv6 "::1:port".
  [[nodiscard]] const std::vector<std::string>& servers() const noexcept { return servers_; }
  /// "/app", or empty: none ("/" is none as well).
  [[nodiscard]] const std::string& chroot() const noexcept { return chroot_; }
  [[nodiscard]] std::size_t distinct_count() const;

  /// What the addresses of a host are, in digits; empty: it cannot be resolved.
  using resolver = std::function<std::vector<std::string>(const std::string& host)>;
  /// What the C client gets: without the chroot, and an odd number of addresses, by naming the first once more. After a
  /// failure the client advances two places, so in an even list it would never try every other server (F84). It does not
  /// count names, but what they are resolved to.
  [[nodiscard]] std::string normalised(const resolver& addresses_of) const;

  /// In the order given, with ports and without the chroot: for messages.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::string> servers_;
  std::string chroot_;
};

/// By the system's resolver, as the C client asks it.
[[nodiscard]] std::vector<std::string> resolved(const std::string& host);

}  // namespace zklock::client
