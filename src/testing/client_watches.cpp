#include "src/testing/client_watches.hpp"

#include <algorithm>

namespace zklock::testing {
namespace {

using client::code;

template <class Table>
void take_out(Table& table, std::string_view path, client::watch_id id) {
  const auto it = table.find(path);
  if (it == table.end()) return;
  std::erase(it->second, id);
  if (it->second.empty()) table.erase(it);
}

void add_once(std::vector<client::watch_id>& ids, client::watch_id id) {
  if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
}

template <class Table>
void collect(Table& table, const std::string& path, std::vector<client::watch_id>& out) {
  const auto it = table.find(path);
  if (it == table.end()) return;
  for (const client::watch_id id : it->second) add_once(out, id);
  table.erase(it);
}

template <class Table>
std::size_t count_of(const Table& table) {
  std::size_t sum = 0;
  for (const auto& [path, ids] : table) sum += ids.size();
  return sum;
}

template <class Table>
std::vector<std::string> paths_of(const Table& table) {
  std::vector<std::string> out;
  for (const auto& [path, ids] : table) out.push_back(path);
  return out;
}

}  // namespace

void client_watches::answered(kind what, const std::string& path, client::watch_id id, client::code answer) {
  if (answer != code::ok && (answer != code::no_node || what != kind::exists)) return;
  table& to = what == kind::children ? child_ : answer == code::no_node ? exist_ : data_;
  add_once(to[path], id);
}

void client_watches::forget(kind what, std::string_view path, client::watch_id id) {
  if (what == kind::children) {
    take_out(child_, path, id);
  } else {
    take_out(data_, path, id);
    take_out(exist_, path, id);
  }
}

std::vector<client::watch_id> client_watches::fire(const std::string& path, client::node_event event) {
  std::vector<client::watch_id> out;
  if (event != client::node_event::children_changed) {
    collect(data_, path, out);
    collect(exist_, path, out);
  }
  if (event == client::node_event::children_changed || event == client::node_event::deleted) {
    collect(child_, path, out);
  }
  return out;
}

void client_watches::clear() noexcept {
  data_.clear();
  exist_.clear();
  child_.clear();
}

std::size_t client_watches::count() const { return count_of(data_) + count_of(exist_) + count_of(child_); }

upward::watch_lists client_watches::paths(std::int64_t seen) const {
  return {seen, paths_of(data_), paths_of(exist_), paths_of(child_)};
}

}  // namespace zklock::testing
