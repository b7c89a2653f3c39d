#include "src/testing/message_words.hpp"

#include <variant>

namespace zklock::testing {
namespace {

namespace request = client::request;

struct words_for {
  std::string operator()(const request::create& r) const { return "create " + r.path; }
  std::string operator()(const request::remove& r) const { return "remove " + r.path; }
  std::string operator()(const request::set& r) const { return "set " + r.path; }
  std::string operator()(const request::check& r) const { return "check " + r.path; }
  std::string operator()(const request::list& r) const { return watching("list " + r.path, r.watch); }
  std::string operator()(const request::get& r) const { return watching("get " + r.path, r.watch); }
  std::string operator()(const request::exists& r) const { return watching("exists " + r.path, r.watch); }
  std::string operator()(const request::get_acl& r) const { return "get access list " + r.path; }
  std::string operator()(const request::sync& r) const { return "sync " + r.path; }
  std::string operator()(const request::multi& r) const {
    std::string out = "multi {";
    for (const request::operation& part : r.operations)
      out += (out.back() == '{' ? "" : ", ") + std::visit(*this, part);
    return out + "}";
  }

 private:
  static std::string watching(std::string text, client::watch_id id) {
    return id == client::no_watch ? text : text + " and watch";
  }
};

std::string_view words(client::node_event event) {
  switch (event) {
    case client::node_event::created: return "created";
    case client::node_event::deleted: return "deleted";
    case client::node_event::changed: return "changed";
    case client::node_event::children_changed: return "children changed";
  }
  return "?";
}

}  // namespace

std::string words(const upward& message) {
  switch (message.what) {
    case upward::kind::connect: return "connect";
    case upward::kind::auth: return "auth";
    case upward::kind::set_watches: return "watch again";
    case upward::kind::ping: return "ping";
    case upward::kind::close: return "close session";
    case upward::kind::request: return std::visit(words_for{}, message.request);
  }
  return "?";
}

std::string words(const downward& message) {
  switch (message.what) {
    case downward::kind::connected: return "connected";
    case downward::kind::expired: return "expired";
    case downward::kind::auth_failed: return "auth failed";
    case downward::kind::lost: return "connecting";
    case downward::kind::pong: return "pong";
    case downward::kind::closed: return "closed";
    case downward::kind::hangup: return "connection lost";
    case downward::kind::event: return std::string(words(message.event)) + " " + message.path;
    case downward::kind::reply: {
      std::string out = "reply #" + std::to_string(message.id) + " " + recipes::described(message.reply.code);
      if (!message.reply.name.empty()) out += " " + message.reply.name;
      for (const std::string& child : message.reply.children) out += " " + child;
      return out;
    }
  }
  return "?";
}

}  // namespace zklock::testing
