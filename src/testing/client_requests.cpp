#include "src/testing/client_requests.hpp"

#include <algorithm>

namespace zklock::testing {

namespace request = client::request;
using watch_kind = client::connection::watch_kind;

asked_request remember(client::request_id id, const client::any_request& what) {
  asked_request out;
  out.id = id;
  const auto note = [&](const auto& r, watch_kind kind) {
    if (r.watch == client::no_watch) return;
    out.watch_path = r.path;
    out.watch = r.watch;
    out.watch_kind = kind;
  };
  if (const auto* list = std::get_if<request::list>(&what)) note(*list, watch_kind::children);
  if (const auto* get = std::get_if<request::get>(&what)) note(*get, watch_kind::data);
  if (const auto* exists = std::get_if<request::exists>(&what)) note(*exists, watch_kind::exists);
  return out;
}

asked_request client_requests::take_answered() {
  asked_request out = std::move(sent_.front());
  sent_.pop_front();
  return out;
}

std::optional<client_requests::queued> client_requests::take_queued() {
  if (queued_.empty()) return std::nullopt;
  std::optional<queued> out = std::move(queued_.front());
  queued_.pop_front();
  return out;
}

std::vector<client::request_id> client_requests::take_all() {
  std::vector<client::request_id> out;
  for (const asked_request& one : sent_) out.push_back(one.id);
  for (const auto& [one, what] : queued_) out.push_back(one.id);
  sent_.clear();
  queued_.clear();
  return out;
}

void client_requests::forget(client::watch_id id) noexcept {
  for (asked_request& one : sent_) {
    if (one.watch == id) one.watch = client::no_watch;
  }
  for (auto& [one, what] : queued_) {
    if (one.watch == id) one.watch = client::no_watch;
  }
}

std::size_t client_requests::watch_count() const noexcept {
  const auto sent =
      std::count_if(sent_.begin(), sent_.end(), [](const auto& one) { return one.watch != client::no_watch; });
  const auto waiting = std::count_if(queued_.begin(), queued_.end(),
                                     [](const auto& one) { return one.first.watch != client::no_watch; });
  return static_cast<std::size_t>(sent + waiting);
}

}  // namespace zklock::testing
