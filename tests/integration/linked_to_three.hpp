#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/integration/on_three.hpp"
#include "tests/support/proxy.hpp"
#include "tests/support/scratch_directory.hpp"

namespace zklock::test {

using test_support::proxy;
using test_support::proxy_mode;

/// Processes on three servers, each with links of its own to them. What leads, or holds, writes its token into a store that only
/// records, a line each time.
class linked_to_three : public on_three {
 protected:
  explicit linked_to_three(std::size_t processes) : links_(processes) {
    for (auto& links : links_) {
      for (std::size_t server = 0; server < 3; ++server) {
        const std::string address = zookeeper.address(server);
        links.push_back(
            std::make_unique<proxy>(static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)))));
      }
    }
  }

  [[nodiscard]] std::string servers_of(std::size_t process) const {
    std::string all;
    for (const auto& link : links_[process]) {
      all += (all.empty() ? "" : ",") + link->address();
    }
    return all;
  }
  void cut_off(std::size_t process, proxy_mode how) {
    for (const auto& link : links_[process]) {
      link->set_mode(how);
    }
  }
  void let_back(std::size_t process) {
    for (const auto& link : links_[process]) {
      link->cut_now();
      link->set_mode(proxy_mode::pass);
    }
  }

  [[nodiscard]] std::string file(const std::string& name) const { return (directory_.path() / name).string(); }
  [[nodiscard]] std::size_t bytes_stored() const {
    std::ifstream all(store_, std::ios::ate);
    return all ? static_cast<std::size_t>(all.tellg()) : 0;
  }

  struct record {
    std::set<std::int64_t> tokens;
    std::vector<std::int64_t> overtaken;  ///< each write behind one with a newer token
  };
  [[nodiscard]] record recorded() const {
    record all;
    std::size_t writes = 0;
    std::ifstream lines(store_);
    for (std::int64_t token = 0; lines >> token; ++writes) {
      if (!all.tokens.empty() && token < *all.tokens.rbegin()) {
        all.overtaken.push_back(token);
      }
      all.tokens.insert(token);
    }
    std::cout << writes << " writes with " << all.tokens.size() << " tokens, " << all.overtaken.size()
              << " behind one with a newer\n";
    return all;
  }

 private:
  test_support::scratch_directory directory_;
  std::vector<std::vector<std::unique_ptr<proxy>>> links_;

 protected:
  const std::string store_ = file("store");
};

}  // namespace zklock::test
