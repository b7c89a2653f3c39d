#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "src/port/client.hpp"

namespace zklock::test_support {

/// The server of a scripted port: a set of paths. It does what it is asked at once, for one session.
class scripted_server {
 public:
  scripted_server() = default;
  scripted_server(const scripted_server&) = delete;
  scripted_server& operator=(const scripted_server&) = delete;

  /// Another client makes, sets or removes a node: watches fire.
  void others_create(const std::string& path, std::string_view with = {});
  void others_set(const std::string& path, std::string_view to = {});
  void others_remove(const std::string& path);
  [[nodiscard]] std::vector<std::string> nodes_under(const std::string& path) const;

  std::set<std::string> nodes{"/l", "/m"};
  std::map<std::string, std::string> data;          ///< of nodes; of those that are not here it is empty
  std::map<std::string, recipes::code> refuses;     ///< creates of these paths, and with what
  std::map<client::watch_id, std::string> watches;  ///< of all kinds
  std::map<std::string, std::int64_t> pzxids;       ///< that lists of these nodes are answered with; others: 0
  bool keeps_pzxids = false;                        ///< by itself; and nodes that stood from the start have a czxid, 1

 protected:
  ~scripted_server() = default;
  void begin_session(std::int64_t session) { session_ = session; }
  void end_session();  ///< its nodes go; of that no watch tells
  client::reply reply_to(const client::any_request& what);

 private:
  virtual void on_fired(client::watch_id id, client::node_event event) = 0;

  client::reply done(const client::request::create& what);
  client::reply done(const client::request::list& what);
  client::reply done(const client::request::get& what);
  client::reply done(const client::request::set& what);
  client::reply done(const client::request::remove& what);
  client::reply done(const client::request::multi& what);
  client::reply done(const client::request::exists& what);
  client::reply done(const client::request::get_acl&) { return {}; }
  client::reply done(const client::request::sync&) { return {}; }
  [[nodiscard]] std::int64_t czxid_of_first(const std::string& path) const;
  void put(const std::string& path, std::string_view with);
  void take(const std::string& path);
  void fire(const std::string& path, client::node_event event);

  std::int64_t session_ = 0;
  std::int64_t zxid_ = 1000;
  std::map<std::string, int> counters_;
  std::map<std::string, std::int64_t> czxids_;
  std::map<std::string, std::int32_t> versions_;
  std::map<std::string, std::int64_t> mzxids_;  ///< counted apart, so that czxids stay easy to tell
  std::int64_t writes_ = 0;
  std::set<client::watch_id> on_children_;
  bool in_multi_ = false;
};

}  // namespace zklock::test_support
