#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "src/engine/hold.hpp"
#include "src/testing/ensemble_model.hpp"

namespace zklock::sim {

/// Where guarded writes go: each makes a node `<client>-<number>-NNNNNNNNNN` there, so that one that is done twice is
/// seen.
inline constexpr std::string_view written_path = "/w";

/// What must hold of every guarded write, judged from the leader's nodes: it is applied only while the nodes of its
/// guard stand, all of them, and never after the grant of a later holder that excludes it, so that its outcome is final
/// for that one (F96); once at the most; and what is told of it is so: applied when it was, refused only when it was not
/// and never will be (F08). It is answered once.
class write_checker {
 public:
  using reporter = std::function<void(std::string checker, std::string what)>;
  explicit write_checker(reporter report) : report_(std::move(report)) {}

  void granted(const detail::hold& hold, const testing::ensemble& servers);
  void begun(int client, int number, std::shared_ptr<detail::hold> guard, const testing::ensemble& servers);
  void answered(int client, int number, std::error_code why, const testing::ensemble& servers);
  void crashed(int client);

  void nodes_may_have_changed(const testing::ensemble& servers);
  void finished();

 private:
  using identity = std::pair<int, int>;                          ///< client and number
  using place = std::pair<std::string, recipes::fencing_token>;  ///< a lock's path, and the token of a hold of it
  struct write {
    std::shared_ptr<detail::hold> guard;
    std::vector<std::string> guards;  ///< the paths of its nodes
    bool guards_stood = true;         ///< when last looked at
    std::ptrdiff_t untouched = 0;     ///< how many of them a downgrade would end
    std::vector<place> alone;         ///< the locks that no other client can hold as long as they stand
    int applied = 0;
    bool answered = false;
    bool refused = false;  ///< and told that it was not applied
  };
  void judge(std::string_view name, const testing::ensemble& servers, bool by_itself);

  [[nodiscard]] static bool is_lost(const write& one, const testing::ensemble& servers);
  [[nodiscard]] static bool all_stand(const write& one, const testing::ensemble& servers);

  const reporter report_;
  std::map<identity, write> writes_;
  std::set<std::string, std::less<>> seen_;  ///< nodes
  std::int64_t seen_zxid_ = 0;
  std::map<std::string, recipes::fencing_token, std::less<>> granted_;  ///< the greatest at each lock
};

}  // namespace zklock::sim
