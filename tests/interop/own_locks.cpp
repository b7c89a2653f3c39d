#include "tests/interop/own_locks.hpp"

#include <functional>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace zklock::interop {
namespace {

std::vector<std::string> split(const std::string& text, char at) {
  std::istringstream from(text);
  std::vector<std::string> words;
  for (std::string word; std::getline(from, word, at);) {
    words.push_back(word);
  }
  return words;
}

/// Whether it begins so, and does no longer.
bool take(std::string& kind, std::string_view prefix) {
  const bool has = kind.starts_with(prefix);
  kind.erase(0, has ? prefix.size() : 0);
  return has;
}

}  // namespace

/// A lock, or several as one.
class own_locks::any_lock {
 public:
  any_lock(session& in, const std::string& kind, const std::string& paths, const lock_options& with) {
    if (kind == "selector" || kind == "latch") {
      const auto names = kind == "latch" ? election_names::latch : election_names::selector;
      const auto made =
          std::make_shared<election>(in, paths, election_options{.data = with.label.value_or(""), .names = names});
      queue_ = [made] { return made->queue(); };
      election_ = made;
      return;
    }
    const bool several = kind.starts_with("multi");
    const std::string part = !several ? kind : kind == "multi" ? "mutex" : kind.substr(std::string("multi-").size());
    for (const std::string& path : split(paths, ',')) {
      parts_.push_back(make(in, split(part, ':'), path, with));
    }
    if (several) {
      all_ = std::make_unique<multi_lock>(parts_);
    }
  }

  grant acquire(std::chrono::milliseconds limit, std::error_code& ec) {
    if (election_) return lead(limit, ec);
    return all_ ? all_->try_acquire_for(limit, ec) : parts_.front().try_acquire_for(limit, ec);
  }
  [[nodiscard]] std::vector<participant> queue() const { return queue_(); }

 private:
  /// A term is a grant.
  grant lead(std::chrono::milliseconds limit, std::error_code& ec) {
    ec.clear();
    try {
      return grant(election_->campaign(limit));
    } catch (const error& failure) {
      ec = failure.code();
      return {};
    }
  }
  lock_view make(session& in, const std::vector<std::string>& kind, const std::string& path, const lock_options& with) {
    const std::string& name = kind.front();
    if (name == "mutex") return *keep<recursive_mutex>(in, path, with);
    if (name == "semaphore-mutex") return *keep<semaphore_mutex>(in, path, with);
    if (name == "write") return keep<shared_mutex>(in, path, with)->write();
    if (name == "read") return keep<shared_mutex>(in, path, with)->read();
    if (name == "permits")
      return keep<semaphore>(in, path, std::stoll(kind.at(2)), with)->permits(std::stoll(kind.at(1)));
    throw std::invalid_argument("no such kind: " + name);
  }

  template <class Lock, class... Arguments>
  std::shared_ptr<Lock> keep(Arguments&&... arguments) {
    auto made = std::make_shared<Lock>(std::forward<Arguments>(arguments)...);
    queue_ = [made] { return made->queue(); };
    kept_.push_back(made);
    return made;
  }

  std::vector<std::shared_ptr<void>> kept_;
  std::function<std::vector<participant>()> queue_;
  std::vector<lock_view> parts_;
  std::unique_ptr<multi_lock> all_;
  std::shared_ptr<election> election_;
};

own_locks::own_locks(session& in, std::string label) : session_(in), label_(std::move(label)) {}

own_locks::~own_locks() = default;

grant own_locks::acquire(const std::string& kind, const std::string& paths, std::chrono::milliseconds limit,
                         std::error_code& ec) {
  return of(kind, paths).acquire(limit, ec);
}

std::vector<std::string> own_locks::participants(const std::string& kind, const std::string& path) {
  std::vector<std::string> names;
  for (const participant& one : of(kind, path).queue()) {
    names.push_back(one.node.substr(one.node.rfind('/') + 1));
  }
  return names;
}

own_locks::any_lock& own_locks::of(const std::string& kind, const std::string& paths) {
  std::unique_ptr<any_lock>& found = known_[kind + " " + paths];
  if (!found) {
    std::string name = kind;
    lock_options with;
    if (take(name, "kept-")) with.keep = kept_lock{};
    with.layout = take(name, "native-") ? layout::native : layout::curator;
    if (!label_.empty()) with.label = label_;
    found = std::make_unique<any_lock>(session_, name, paths, with);
  }
  return *found;
}

}  // namespace zklock::interop
