#include "src/testing/footprint.hpp"

#include <functional>

namespace zklock::testing {
namespace {

namespace request = client::request;

std::uint64_t hash_of(std::string_view path) {
  const std::uint64_t h = std::hash<std::string_view>{}(path);
  return h == 0 ? 1 : h;
}

struct of_request {
  footprint operator()(const request::create& r) const { return changes(r.path); }
  footprint operator()(const request::remove& r) const { return changes(r.path); }
  footprint operator()(const request::set& r) const { return {access::writes, hash_of(r.path), hash_of(r.path)}; }
  footprint operator()(const request::list& r) const { return reads(r.path); }
  footprint operator()(const request::get& r) const { return reads(r.path); }
  footprint operator()(const request::exists& r) const { return reads(r.path); }
  footprint operator()(const request::get_acl& r) const { return reads(r.path); }
  footprint operator()(const request::sync&) const { return {}; }
  footprint operator()(const request::multi&) const { return {access::writes, 0, 0}; }

 private:
  static footprint reads(std::string_view path) { return {access::reads, hash_of(path), hash_of(path)}; }
  static footprint changes(std::string_view path) { return {access::writes, hash_of(path), hash_of(parent_of(path))}; }
};

}  // namespace

footprint footprint_of(const upward& message, bool by_leader) {
  switch (message.what) {
    case upward::kind::set_watches: return {access::reads, 0, 0};
    case upward::kind::close: return {access::writes, 0, 0};
    case upward::kind::request: {
      const footprint out = std::visit(of_request{}, message.request);
      return out.effect == access::writes && !by_leader ? footprint{} : out;
    }
    default: return {};
  }
}

}  // namespace zklock::testing
