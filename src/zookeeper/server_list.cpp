#include "src/zookeeper/server_list.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <sys/socket.h>

#include <zklock/error.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <utility>

#include "src/errors/printable.hpp"
#include "src/port/path.hpp"

namespace zklock::client {
namespace {

constexpr std::string_view default_port = "2181";  // ZooKeeper's

[[noreturn]] void refuse(std::string_view text, std::string_view why) {
  throw error(errc::invalid_server_list, "parse server list",
              "\"" + detail::printable(text) + "\" (" + detail::printable(why) + ")");
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blank = " \t\r\n";
  const auto first = text.find_first_not_of(blank);
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

bool is_port(std::string_view text) {
  unsigned port = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), port);
  return failure == std::errc{} && end == text.data() + text.size() && port >= 1 && port <= 65535;
}

/// An address of IPv6, be it with a zone: "fe80::1%eth0".
bool is_address(std::string_view text) {
  const std::string digits(text.substr(0, text.find('%')));
  std::array<unsigned char, sizeof(in6_addr)> address{};
  return inet_pton(AF_INET6, digits.c_str(), address.data()) == 1;
}

bool is_host(std::string_view text) {
  const bool clean = !text.empty() && std::ranges::none_of(text, [](char c) {
    return c == '[' || c == ']' || c == '@' || static_cast<unsigned char>(c) <= ' ';
  });
  return clean && (text.find(':') == std::string_view::npos || is_address(text));
}

struct host_and_port {
  std::string_view host;
  std::string_view port;
};

/// "host", "host:port", and of an address of IPv6 "[address]", "[address]:port", "address", "address:port".
host_and_port parts_of(std::string_view entry) {
  const auto colon = entry.rfind(':');
  if (entry.starts_with('[')) {
    const auto end = entry.find(']');
    const std::string_view address = entry.substr(1, end == std::string_view::npos ? 0 : end - 1);
    const bool closed = end + 1 == entry.size() || end + 1 == colon;
    return {closed && is_address(address) ? address : "", end + 1 == colon ? entry.substr(colon + 1) : default_port};
  }
  const bool whole = colon == std::string_view::npos || (!is_host(entry.substr(0, colon)) && is_address(entry));
  return whole ? host_and_port{entry, default_port} : host_and_port{entry.substr(0, colon), entry.substr(colon + 1)};
}

/// As the C client wants it: always with a port, and without brackets, which it takes for a part of a name.
std::string checked_server(std::string_view entry, std::string_view text) {
  if (entry.empty()) {
    refuse(text, "an entry is empty");
  }
  if (entry.find_first_of("; \t") != std::string_view::npos) {
    refuse(text, "',' separates servers: \"" + std::string(entry) + "\" is no single one");
  }
  const auto [host, port] = parts_of(entry);
  if (!is_host(host)) {
    refuse(text, "no host in \"" + std::string(entry) + "\"");
  }
  if (!is_port(port)) {
    refuse(text, "no port from 1 to 65535 in \"" + std::string(entry) + "\"");
  }
  return std::string(host).append(":").append(port);
}

/// `from`: the first '/' and all behind it.
std::string checked_chroot(std::string_view from, std::string_view text) {
  const std::string_view chroot = trimmed(from);
  const std::string named = "the chroot \"" + std::string(chroot) + "\"";
  // A name in ZooKeeper may have these. But a chroot behind each host would be another tree for each order of the hosts.
  if (chroot.find_first_of(",; ") != std::string_view::npos) {
    refuse(text, named + " has a separator: write the chroot once, behind the last host, as in host1,host2/app");
  }
  if (chroot == "/") {
    return {};
  }
  if (const std::string fault = detail::fault_of_path(chroot); !fault.empty()) {
    refuse(text, named + ": " + fault);
  }
  return std::string(chroot);
}

std::string joined(const std::vector<std::string>& servers) {
  std::string all;
  for (const std::string& server : servers) {
    all += all.empty() ? server : "," + server;
  }
  return all;
}

}  // namespace

server_list server_list::parse(std::string_view text) {
  server_list list;
  const auto slash = text.find('/');
  std::string_view rest = text.substr(0, slash);
  if (slash != std::string_view::npos) {
    if (rest.ends_with(':') && text.substr(slash).starts_with("//")) {
      refuse(text, "begin with a host, without \"" + std::string(trimmed(rest)) + "//\"");
    }
    list.chroot_ = checked_chroot(text.substr(slash), text);
  }
  if (trimmed(rest).empty()) {
    refuse(text, "no server");
  }
  for (bool more = true; more;) {
    const auto comma = rest.find(',');
    list.servers_.push_back(checked_server(trimmed(rest.substr(0, comma)), text));
    more = comma != std::string_view::npos;
    rest.remove_prefix(more ? comma + 1 : rest.size());
  }
  return list;
}

std::size_t server_list::distinct_count() const {
  return std::set<std::string_view>(servers_.begin(), servers_.end()).size();
}

std::string server_list::normalised(const resolver& addresses_of) const {
  std::size_t count = 0;
  std::string first;
  for (const std::string& server : servers_) {
    const auto colon = server.rfind(':');
    const std::vector<std::string> addresses = addresses_of(server.substr(0, colon));
    if (first.empty() && !addresses.empty()) {
      first = addresses.front() + server.substr(colon);
    }
    count += addresses.size();
  }
  return count % 2 == 0 && !first.empty() ? text() + "," + first : text();
}

std::string server_list::text() const { return joined(servers_); }

std::vector<std::string> resolved(const std::string& host) {
  addrinfo wanted{};
  wanted.ai_flags = AI_ADDRCONFIG;
  wanted.ai_family = AF_UNSPEC;
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  std::vector<std::string> addresses;
  if (getaddrinfo(host.c_str(), nullptr, &wanted, &found) != 0) {
    return addresses;
  }
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    std::array<char, NI_MAXHOST> digits{};
    if (getnameinfo(one->ai_addr, one->ai_addrlen, digits.data(), digits.size(), nullptr, 0, NI_NUMERICHOST) == 0) {
      addresses.emplace_back(digits.data());
    }
  }
  freeaddrinfo(found);
  return addresses;
}

}  // namespace zklock::client
