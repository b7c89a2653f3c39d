#include "src/cli/findings.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "src/cli/participants_output.hpp"
#include "src/cli/wait_description.hpp"

namespace zklock::cli {
namespace {

using detail::inspected_lock;
using level = finding::level;

/// Where ZooKeeper's counter of a node's children ends.
constexpr std::int64_t sequence_end = INT32_MAX;
constexpr std::int64_t sequences_near_end = sequence_end / 20;
constexpr std::size_t strangers_named = 3;

/// A command with a path as one word of a shell. Names may be anybody's.
std::string command_with(const std::string& command, const std::string& path, const terminal_characters& characters) {
  if (path_text(path, characters) != path) {
    return command + " with that node, whose name is no word of a shell";
  }
  const bool plain =
      path.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/-") == std::string::npos;
  std::string word = path;
  for (std::size_t at = 0; (at = word.find('\'', at)) != std::string::npos; at += 4) {
    word.replace(at, 1, "'\\''");
  }
  return command + " " + (plain ? word : "'" + word + "'");
}

std::string count(std::size_t number, const char* what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

constexpr std::int32_t write_permission = 2, delete_permission = 8, admin_permission = 16;

bool anyone_may(const std::vector<client::acl_entry>& list, std::int32_t permissions) {
  return std::any_of(list.begin(), list.end(), [permissions](const client::acl_entry& one) {
    return one.scheme == "world" && (one.permissions & permissions) != 0;
  });
}

/// What one lock is found to have.
class examination {
 public:
  examination(const inspected_lock& lock, const own_host& here, const terminal_characters& characters)
      : lock_(lock), here_(here), characters_(characters) {}

  void look(std::span<const inspected_lock> all) {
    look_at_kinds();
    look_at_permits();
    look_at_numbers();
    for (std::size_t at = 0; at < queue().size(); ++at) {
      look_at_one(queue()[at], lock_.nodes[at].session);
    }
    look_at_strangers(all);
    look_at_access();
  }
  [[nodiscard]] std::vector<finding> take() { return std::move(found_); }

 private:
  [[nodiscard]] const std::vector<participant>& queue() const { return lock_.lock.participants; }
  [[nodiscard]] std::size_t how_many(bool (*are)(const participant&)) const {
    return static_cast<std::size_t>(std::count_if(queue().begin(), queue().end(), are));
  }
  void add(const char* kind, level is, std::string text, std::string mend) {
    found_.push_back({kind, is, lock_.lock.path, std::move(text), std::move(mend)});
  }

  void look_at_kinds() {
    using kind = participant_kind;
    const std::size_t mutexes = how_many([](const auto& one) { return one.kind == kind::mutex; });
    const std::size_t latches = how_many([](const auto& one) { return one.kind == kind::latch; });
    const std::size_t permits = how_many([](const auto& one) { return one.kind == kind::permits; });
    const std::size_t sides = queue().size() - mutexes - latches - permits;
    const std::size_t recipes = (mutexes > 0) + (sides > 0) + (permits > 0) + (latches > 0);
    if (recipes == 2 && latches > 0 && mutexes > 0) {
      add("latch-beside-lock", level::problem,
          count(latches, "candidate") + " with the names of Curator's LeaderLatch beside " +
              count(mutexes, "contender") + " of a mutex or LeaderSelector: there may be two leaders",
          "give all candidates the same election_options::names");
    } else if (recipes > 1) {
      std::string there;
      for (const auto& [number, name] :
           {std::pair{mutexes, "of a mutex"}, std::pair{sides, "of a read/write lock"},
            std::pair{permits, "of a semaphore"}, std::pair{latches, "of a LeaderLatch"}}) {
        if (number > 0) {
          there += (there.empty() ? "" : ", ") + std::to_string(number) + " " + name;
        }
      }
      add("mixed-kinds", level::problem, "contenders of several recipes, which do not exclude each other: " + there,
          "give each recipe a path of its own");
    }
    const std::size_t curators = how_many([](const auto& one) { return one.layout == layout::curator; });
    const std::size_t natives = how_many([](const auto& one) { return one.layout == layout::native; });
    if (curators > 0 && natives > 0) {
      add("mixed-layouts", level::problem,
          count(natives, "contender") + " in the native layout and " + std::to_string(curators) +
              " in Curator's, which do not exclude each other",
          "give all clients of this path the same lock_options::layout");
    }
  }

  void look_at_permits() {
    const auto limit = lock_.lock.permit_limit;
    for (const participant& one : queue()) {
      if (limit && one.kind == participant_kind::permits && one.layout != layout::curator &&
          one.state == participant_state::waiting && one.permits > std::max(*limit, lock_.permits_at_most)) {
        add("too-many-permits", level::note,
            describe_participant(one, "a client", characters_) + " waits for " + std::to_string(one.permits) +
                " permits of " + std::to_string(*limit) + ": it is refused when its turn comes",
            "raise the limit with set_permit_limit()");
      }
    }
  }

  void look_at_numbers() {
    std::int64_t greatest = 0, least = 0;
    for (const detail::inspected_node& one : lock_.nodes) {
      greatest = std::max(greatest, one.number);
      least = std::min(least, one.number);
    }
    if (least < 0 || greatest > sequence_end - sequences_near_end) {
      add("counter-near-end", level::problem,
          least < 0 ? std::string("the counter of its contenders has passed its end: nobody can queue any more")
                    : "its contenders are numbered up to 2147483647, and " + std::to_string(sequence_end - greatest) +
                          " are left: then nobody can queue any more",
          "while no client holds or waits: " + command_with("zkCli.sh delete", lock_.lock.path, characters_));
    }
  }

  void look_at_one(const participant& one, std::int64_t session) {
    const std::string node = path_text(one.node, characters_);
    const char* const does = one.state == participant_state::held ? " holds" : " waits";
    if (session == 0 && one.token.czxid != 0) {
      add("persistent-contender", level::problem,
          node + " is no client's: it stands for ever, and whoever is behind it waits for ever", remove(one));
    }
    const bool is_ours = !here_.name.empty() && one.host == here_.name && one.pid && here_.is_gone;
    if (session != 0 && is_ours && here_.is_gone(*one.pid)) {
      add("process-gone", level::note,
          describe_participant(one, "a client", characters_) + does +
              ", and this host shows no such process; a container may have it: " + node,
          "it goes with its session; at once: " + remove(one));
    }
  }

  void look_at_strangers(std::span<const inspected_lock> all) {
    std::vector<std::string> strange;
    const std::string folder = lock_.lock.path == "/" ? "/" : lock_.lock.path + "/";
    for (const std::string& name : lock_.strangers) {
      const std::string node = folder + name;
      const auto first_from = [all](const std::string& path) {
        return std::lower_bound(all.begin(), all.end(), path,
                                [](const auto& one, const std::string& other) { return one.lock.path < other; });
      };
      const auto same = first_from(node), below = first_from(node + "/");
      const bool has_locks = (same != all.end() && same->lock.path == node) ||
                             (below != all.end() && below->lock.path.starts_with(node + "/"));
      if (!has_locks && lock_.lock.path != "/") {
        strange.push_back(path_text(name, characters_));
      }
    }
    if (strange.empty()) {
      return;
    }
    std::string names;
    for (std::size_t at = 0; at < std::min(strange.size(), strangers_named); ++at) {
      names += (at == 0 ? "" : ", ") + strange[at];
    }
    if (strange.size() > strangers_named) {
      names += " and " + std::to_string(strange.size() - strangers_named) + " more";
    }
    add("stranger", level::note,
        "children that are no contender of a recipe known here: " + names +
            ". If they are another library's, its locks and these do not exclude each other",
        command_with("zkCli.sh ls", lock_.lock.path, characters_));
  }

  /// Who may remove a node is said by the list of the node that it stands below.
  void look_at_access() {
    const std::string& first = queue().front().node;
    const std::string folder = first.substr(0, std::max<std::size_t>(first.rfind('/'), 1));
    if (anyone_may_remove_from(lock_) && !lock_.access.of_first.empty() &&
        !anyone_may(lock_.access.of_first, write_permission | admin_permission)) {
      add("anyone-may-remove", level::note,
          "its contenders' access lists keep others from writing to them, but that of " +
              path_text(folder, characters_) + " lets anyone remove them",
          command_with("zkCli.sh setAcl", folder, characters_) +
              ", with a list that gives d to the lock's clients alone");
    }
    const auto is_hidden = [](const detail::inspected_node& one) { return one.hidden; };
    const auto hidden = std::find_if(lock_.nodes.begin(), lock_.nodes.end(), is_hidden);
    if (hidden != lock_.nodes.end()) {
      const auto number = std::count_if(hidden, lock_.nodes.end(), is_hidden);
      add("hidden-contender", level::note,
          count(static_cast<std::size_t>(number), "contender") +
              " whose data an access list hides, so that nobody else sees who it is, from " +
              path_text(queue()[static_cast<std::size_t>(hidden - lock_.nodes.begin())].node, characters_) + " on",
          "ask with its clients' credentials (--auth-file); else give all clients of the lock the same");
    }
  }

  /// At the root there are no locks of zklock's.
  [[nodiscard]] std::string remove(const participant& one) const {
    return command_with(lock_.lock.path == "/" ? "zkCli.sh delete" : "zklock evict", one.node, characters_);
  }

  const inspected_lock& lock_;
  const own_host& here_;
  const terminal_characters& characters_;
  std::vector<finding> found_;
};

}  // namespace

std::vector<finding> findings_of(const inspected_lock& lock, std::span<const inspected_lock> all, const own_host& here,
                                 const terminal_characters& characters) {
  examination one(lock, here, characters);
  one.look(all);
  return one.take();
}

bool anyone_may_remove_from(const inspected_lock& lock) { return anyone_may(lock.access.of_folder, delete_permission); }

finding finding_of(const deadlock& one, const terminal_characters& characters) {
  finding is;
  is.kind = "deadlock";
  is.path = one.circle.front().path;
  is.text = one.circle.size() == 1 ? std::string("a client waits for itself:")
                                   : count(one.circle.size(), "client") + " wait for each other:";
  for (std::size_t at = 0; at < one.circle.size(); ++at) {
    const circle_step& step = one.circle[at];
    is.text += "\n" + std::to_string(at + 1) + ") " + describe_participant(step.waits, "a client", characters) +
               ", owner " + std::to_string(step.waits.owner.value_or(0)) + "\n   waits at " +
               path_text(step.path, characters) + "\n   for " + path_text(step.blocks.node, characters) + " of " +
               std::to_string((at + 1) % one.circle.size() + 1) + ")";
  }
  if (one.behind > 0) {
    is.text += "\n" + count(one.behind, "call") + (one.behind == 1 ? " waits" : " wait") + " behind them";
  }
  if (!one.of_one_session_each) {
    is.text += "\nperhaps: sessions with the same host and process number are taken for one process";
    is.is = level::note;
  }
  is.mend =
      "it ends by itself if one of these waits has a time limit, or a hold a bound; else end one of the processes. "
      "Take "
      "these locks in one order, or together (multi_lock)";
  return is;
}

}  // namespace zklock::cli
