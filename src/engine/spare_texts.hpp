#pragma once

#include <string>
#include <utility>
#include <variant>

#include <boost/container/static_vector.hpp>

#include "src/port/client.hpp"

namespace zklock::engine {

/// The memory of the paths and data of requests that were sent: it serves the next ones. On the session's strand.
class spare_texts {
 public:
  /// Empty, with such memory, if there is any.
  [[nodiscard]] std::string take() {
    if (kept_.empty()) {
      return {};
    }
    std::string text = std::move(kept_.back());
    kept_.pop_back();
    text.clear();
    return text;
  }

  /// What the connection has left of a request.
  void keep(client::any_request& sent) {
    std::visit(
        [this](auto& one) {
          if constexpr (requires { one.path; }) {
            keep(one.path);
          }
          if constexpr (requires { one.data; }) {
            keep(one.data);
          }
        },
        sent);
  }

 private:
  static constexpr std::size_t count_max = 4;  ///< a create, its data, a list, a removal
  static constexpr std::size_t size_max = 1024;

  void keep(std::string& text) {
    if (kept_.size() < count_max && text.capacity() > std::string().capacity() && text.capacity() <= size_max) {
      kept_.push_back(std::move(text));
    }
  }

  boost::container::static_vector<std::string, count_max> kept_;
};

}  // namespace zklock::engine
