#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "src/session/hold.hpp"
#include "src/testing/ensemble_model.hpp"

namespace zklock::sim {

/// Where guarded writes go: each makes a node `<client>-<number>-NNNNNNNNNN` there, so that one that is done twice is seen.
inline constexpr std::string_view written_path = "/w";

/// What must hold of every guarded write, judged from the leader's nodes: it is applied only while the node of its guard
/// stands, and never after a write of a later holder (F96); once at the most; and what is told of it is so: applied when it
/// was, refused only when it was not and never will be (F08). It is answered once.
class write_checker {
 public:
  using reporter = std::function<void(std::string checker, std::string what)>;
  explicit write_checker(reporter report) : report_(std::move(report)) {}

  void begun(int client, int number, const detail::hold& guard, const testing::ensemble& servers);
  void answered(int client, int number, std::error_code why, const testing::ensemble& servers);
  void crashed(int client);

  void nodes_may_have_changed(const testing::ensemble& servers);
  void finished();

 private:
  using identity = std::pair<int, int>;  ///< client and number
  struct write {
    std::string guard;        ///< the path of its node
    bool guard_stood = true;  ///< when last looked at
    std::int64_t token = 0;
    int applied = 0;
    bool answered = false;
    bool refused = false;  ///< and told that it was not applied
  };
  void judge(std::string_view name, const testing::ensemble& servers, bool by_itself);

  const reporter report_;
  std::map<identity, write> writes_;
  std::set<std::string, std::less<>> seen_;  ///< nodes
  std::int64_t seen_zxid_ = 0;
  std::int64_t last_token_ = 0;  ///< of the last write that was applied
};

}  // namespace zklock::sim
