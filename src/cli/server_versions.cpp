#include "src/cli/server_versions.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <system_error>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>

namespace zklock::cli {
namespace {

constexpr std::array in_3_8_2{server_version{3, 8, 2}, server_version{3, 9, 0}};
constexpr std::array in_3_8_5{server_version{3, 8, 5}, server_version{3, 9, 2}};
constexpr std::array in_3_9_3{server_version{3, 9, 3}};
constexpr std::array in_3_9_4{server_version{3, 9, 4}};
constexpr std::array all_faults{
    server_fault{"ZOOKEEPER-4026", "a transaction tells wrong numbers of a node that it makes", {}, in_3_8_2},
    server_fault{"ZOOKEEPER-4785", "committed writes are lost when a follower catches up", {}, in_3_8_5},
    server_fault{"ZOOKEEPER-4643", "committed writes are lost by elections soon one after the other", {}, in_3_9_3},
    server_fault{"ZOOKEEPER-4712", "a server that is half shut down claims to serve", {}, in_3_9_3},
    server_fault{"ZOOKEEPER-4925", "committed writes are lost by holes in a follower's log", {3, 9, 3}, in_3_9_4},
    server_fault{"ZOOKEEPER-4858", "a snapshot stops syncs: heartbeats come too late", {}, in_3_9_4},
    server_fault{"ZOOKEEPER-4837", "an ephemeral node stays after the end of its session", {}, {}},
};

}  // namespace

std::string to_text(const server_version& version) {
  return std::to_string(version.major) + "." + std::to_string(version.minor) + "." + std::to_string(version.patch);
}

std::span<const server_fault> server_faults() noexcept { return all_faults; }

bool has_fault(const server_version& version, const server_fault& fault) noexcept {
  if (version < fault.since || fault.fixed.empty()) {
    return version >= fault.since;
  }
  const auto of_branch = std::find_if(fault.fixed.begin(), fault.fixed.end(), [&](const server_version& one) {
    return one.major == version.major && one.minor == version.minor;
  });
  return of_branch != fault.fixed.end() ? version < *of_branch : version < fault.fixed.back();
}

std::optional<server_version> parse_server_version(std::string_view answer) {
  constexpr std::string_view title = "Zookeeper version: ";
  const std::size_t begin = answer.find(title);
  if (begin == std::string_view::npos) {
    return std::nullopt;
  }
  answer.remove_prefix(begin + title.size());
  std::array<int, 3> parts{};
  const char* at = answer.data();
  const char* const end = at + answer.size();
  for (std::size_t part = 0; part < parts.size(); ++part) {
    if (part > 0 && (at == end || *at++ != '.')) {
      return std::nullopt;
    }
    const auto [behind, failure] = std::from_chars(at, end, parts[part]);
    if (failure != std::errc{}) {
      return std::nullopt;
    }
    at = behind;
  }
  return server_version{parts[0], parts[1], parts[2]};
}

std::vector<std::string> addresses_of(std::string_view servers) {
  servers = servers.substr(0, servers.find('/'));
  std::vector<std::string> all;
  while (!servers.empty()) {
    const std::size_t comma = std::min(servers.find(','), servers.size());
    std::string one(servers.substr(0, comma));
    one.erase(0, one.find_first_not_of(' '));
    one.erase(one.find_last_not_of(' ') + 1);
    const std::size_t colon = one.rfind(':');
    const bool has_port = colon != std::string::npos && one.find(']', colon) == std::string::npos;
    all.push_back(has_port ? one : one + ":2181");
    servers.remove_prefix(std::min(comma + 1, servers.size()));
  }
  return all;
}

server_answer ask_version(const std::string& address, std::chrono::milliseconds limit) {
  using boost::asio::ip::tcp;
  const std::size_t colon = address.rfind(':');
  std::string host = address.substr(0, colon);
  if (host.starts_with('[')) {
    host = host.substr(1, host.size() - 2);
  }
  boost::asio::io_context loop;
  boost::system::error_code ec;
  const auto found = tcp::resolver(loop).resolve(host, address.substr(colon + 1), ec);
  if (ec) {
    return {};
  }
  tcp::socket socket(loop);
  std::string answer;
  bool reached = false;
  boost::asio::async_connect(socket, found, [&](const boost::system::error_code& failed, const tcp::endpoint&) {
    if (!failed) {
      reached = true;
      boost::asio::async_write(socket, boost::asio::buffer("srvr", 4), [&](auto unsent, std::size_t) {
        if (!unsent) {
          boost::asio::async_read(socket, boost::asio::dynamic_buffer(answer, 4096), [](auto, std::size_t) {});
        }
      });
    }
  });
  loop.run_for(limit);
  return {reached, parse_server_version(answer)};
}

}  // namespace zklock::cli
