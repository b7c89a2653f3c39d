#include "tests/loss/scene.hpp"

#include <optional>
#include <stdexcept>

#include "tests/support/eventually.hpp"

namespace zklock::test {

using test_support::eventually;

namespace {

bool runs(const private_zookeeper& servers, std::size_t server) {
  try {
    return servers.pid(server) > 0;
  } catch (const std::runtime_error&) {
    return false;
  }
}

}  // namespace

scene::scene(const std::string& servers) : ports_(test_support::ports_of(servers)) {
  for (const std::uint16_t port : ports_) {
    ways_.push_back(std::make_unique<proxy>(port));
  }
}

scene::scene(private_zookeeper& own) : scene(own.connect_string()) { own_ = &own; }

private_zookeeper& scene::own() {
  if (own_ == nullptr) {
    throw std::logic_error("these servers are shared with others");
  }
  return *own_;
}

std::size_t scene::leader() {
  std::optional<std::size_t> found;
  if (!eventually([&] { return (found = own().leader()).has_value(); })) {
    throw std::runtime_error("no server leads");
  }
  return *found;
}

std::string scene::through_proxies() const {
  std::string list;
  for (const auto& way : ways_) {
    list += (list.empty() ? "" : ",") + way->address();
  }
  return list;
}

std::string scene::all_but(std::size_t server) const {
  std::string list;
  for (std::size_t other = 0; other < size(); ++other) {
    if (other != server || size() == 1) {
      list += (list.empty() ? "127.0.0.1:" : ",127.0.0.1:") + std::to_string(ports_[other]);
    }
  }
  return list;
}

void scene::bound_session_timeouts(std::size_t server, const test_support::timeout_bounds& bounds) {
  bounded_.push_back(server);
  own().set_session_timeouts(bounds, server);
  own().restart(server);
}

void scene::restore() {
  for (const auto& way : ways_) {
    way->set_mode(proxy_mode::pass);
  }
  if (own_ == nullptr) {
    return;
  }
  while (!bounded_.empty()) {
    const std::size_t server = bounded_.back();
    bounded_.pop_back();
    own_->set_session_timeouts(std::nullopt, server);
    if (runs(*own_, server)) own_->kill(server);
  }
  for (std::size_t server = 0; server < size(); ++server) {
    if (runs(*own_, server)) {
      own_->cont(server);
    } else {
      own_->restart(server);
    }
  }
  const auto all_serve = [&] {
    for (std::size_t server = 0; server < size(); ++server) {
      if (own_->ask("srvr", server).find("Mode: ") == std::string::npos) return false;
    }
    return true;
  };
  if (!eventually(all_serve)) {
    throw std::runtime_error("a server does not serve again");
  }
}

}  // namespace zklock::test
