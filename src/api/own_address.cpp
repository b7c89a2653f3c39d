#include "src/api/own_address.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <memory>

namespace zklock::detail {
namespace {

std::string address_of(const char* host, int family) {
  addrinfo hints{};
  hints.ai_family = family;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* first = nullptr;
  if (getaddrinfo(host, nullptr, &hints, &first) != 0) {
    return {};
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> all(first, &freeaddrinfo);
  const void* address = &reinterpret_cast<const sockaddr_in*>(first->ai_addr)->sin_addr;
  if (family == AF_INET6) {
    address = &reinterpret_cast<const sockaddr_in6*>(first->ai_addr)->sin6_addr;
  }
  std::array<char, INET6_ADDRSTRLEN> text{};
  return inet_ntop(family, address, text.data(), text.size()) == nullptr ? std::string() : std::string(text.data());
}

/// Java prefers IPv4 unless told otherwise.
std::string find_own_address() {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  std::string address = address_of(host.data(), AF_INET);
  return address.empty() ? address_of(host.data(), AF_INET6) : address;
}

}  // namespace

const std::string& own_address() {
  static const auto& address = *new std::string(find_own_address());  // never destroyed: threads may outlive statics
  return address;
}

}  // namespace zklock::detail
