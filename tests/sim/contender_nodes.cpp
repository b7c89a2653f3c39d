#include "tests/sim/contender_nodes.hpp"

#include <algorithm>
#include <charconv>

namespace zklock::sim {
namespace {

using kind = recipes::contender_kind;

constexpr std::size_t id_size = 32;
constexpr std::size_t dashes = 4;
constexpr std::size_t number_size = 10;

std::uint64_t number_at(std::string_view text, std::size_t place) {
  std::uint64_t number = 0;
  if (place < text.size()) {
    std::from_chars(text.data() + place, text.data() + text.size(), number);
  }
  return number;
}

constexpr std::string_view curator_id = "_c_";

std::string_view prefix_of(std::string_view name) noexcept {
  for (const std::string_view prefix : {"read-", "write-", "permit-"}) {
    if (name.starts_with(prefix)) {
      return prefix;
    }
  }
  return {};
}

void read_label(contender_node& made, std::string_view data) {
  constexpr std::string_view key = "\nlabel=u";
  const std::size_t begin = data.find(key);
  if (begin == std::string_view::npos) {
    return;
  }
  made.user = static_cast<int>(number_at(data, begin + key.size()));
  made.attempt = number_at(data, data.find('a', begin + key.size()) + 1);
  made.parts = number_at(data, data.find('p', begin + key.size()) + 1);
}

bool queues(const contender_node& one) { return one.client >= 0; }

}  // namespace

std::string id_in(std::string_view name) {
  if (name.starts_with(curator_id)) {
    std::string id(name.substr(curator_id.size(), id_size + dashes));
    std::erase(id, '-');
    return id;
  }
  const std::size_t begin = prefix_of(name).size();
  return std::string(name.substr(std::min(begin, name.size()), id_size));
}

std::string_view id_text_in(std::string_view name) noexcept {
  const bool of_curator = name.starts_with(curator_id);
  const std::size_t begin = of_curator ? curator_id.size() : prefix_of(name).size();
  const std::size_t size = of_curator ? id_size + dashes : id_size;
  return name.size() < begin + size ? std::string_view() : name.substr(begin, size);
}

const contender_node* writer_of(const contender_nodes& before, const std::string& path) {
  const auto found = std::find_if(before.begin(), before.end(), [&path](const auto& one) {
    const std::string& writer = one.first;
    return one.second.kind == kind::write && writer.starts_with(path.substr(0, path.rfind('/') + 1)) &&
           path.find("__READ__") != std::string::npos && writer.ends_with(path.substr(path.size() - number_size));
  });
  return found == before.end() ? nullptr : &found->second;
}

contender_node contender_node_of(std::size_t lock, const testing::ensemble::child& child) {
  contender_node made;
  made.lock = lock;
  made.czxid = made.place = child.czxid;
  made.id = id_in(child.name);
  const std::string_view name = child.name;
  const std::string_view prefix = prefix_of(name);
  const auto is_of_curator = [name](std::string_view marker) {
    return name.starts_with(curator_id) && name.find(marker) != std::string_view::npos;
  };
  if (is_of_curator("__READ__") || is_of_curator("__WRIT__") || is_of_curator("-lease-")) {
    made.kind = is_of_curator("-lease-") ? kind::lease : is_of_curator("__READ__") ? kind::read : kind::write;
    made.permits = made.kind == kind::lease ? 1 : 0;
    read_label(made, child.data);
    return made;
  }
  made.kind = prefix == "read-"     ? kind::read
              : prefix == "write-"  ? kind::write
              : prefix == "permit-" ? kind::permit
                                    : kind::mutex;
  if (made.kind == kind::permit) {
    made.permits = static_cast<std::uint32_t>(number_at(child.name, prefix.size() + id_size + 1));
  }
  made.reads = child.data.starts_with("mode=read\n");
  read_label(made, child.data);
  return made;
}

std::string label_of(int user, std::uint64_t attempt, std::size_t parts) {
  return "u" + std::to_string(user) + "a" + std::to_string(attempt) + "p" + std::to_string(parts);
}

bool has_to_go_first(const contender_node& earlier, const contender_node& later) noexcept {
  const bool beside = (earlier.kind == kind::lease) != (later.kind == kind::lease);
  if (!queues(earlier) || earlier.lock != later.lock || beside || earlier.place >= later.place) {
    return false;
  }
  return later.kind != kind::read || (earlier.kind == kind::write && !earlier.reads);
}

std::uint64_t permits_up_to(const contender_nodes& all, const contender_node& one) {
  std::uint64_t sum = one.permits;
  for (const auto& [path, other] : all) {
    sum += has_to_go_first(other, one) ? other.permits : 0;
  }
  return sum;
}

bool may_pass(const contender_nodes& all, const contender_node& one, std::uint32_t limit) {
  if (one.kind == kind::permit) {
    return permits_up_to(all, one) <= limit;
  }
  if (one.kind == kind::lease) {  // whichever contender has the mutex beside them
    return std::count_if(all.begin(), all.end(), [&one](const auto& other) {
             return other.second.kind == kind::lease && other.second.lock == one.lock;
           }) <= static_cast<std::ptrdiff_t>(limit);
  }
  return std::none_of(all.begin(), all.end(), [&](const auto& other) { return has_to_go_first(other.second, one); });
}

int waiters_behind(const contender_nodes& others, const contender_node& gone) {
  const auto had_to_wait = [](contender_node earlier, const contender_node& later) {
    earlier.reads = false;
    return later.kind != kind::lease && has_to_go_first(earlier, later);
  };
  return static_cast<int>(std::count_if(others.begin(), others.end(), [&](const auto& entry) {
    const contender_node& waiter = entry.second;
    return queues(waiter) && had_to_wait(gone, waiter) &&
           std::none_of(others.begin(), others.end(), [&](const auto& nearer) {
             return nearer.second.place > gone.place && had_to_wait(nearer.second, waiter);
           });
  }));
}

}  // namespace zklock::sim
