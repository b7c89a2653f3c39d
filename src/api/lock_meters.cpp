#include "src/api/lock_meters.hpp"

namespace zklock::detail {

std::shared_ptr<lock_meter> lock_meters::of(std::string_view name, lock_class what, bool& first_of_others) {
  const scoped_lock_on lock(mutex_);
  first_of_others = false;
  std::pair<std::string, lock_class> key{name, what};
  const auto same_name = meters_.lower_bound({key.first, lock_class{}});
  const bool known = name.empty() || (same_name != meters_.end() && same_name->first.first == name);
  if (!known && names_ == names_max) {
    key.first = "other";
    first_of_others = !std::exchange(has_others_, true);
  }
  std::shared_ptr<lock_meter>& found = meters_[key];
  if (!found) {
    found = std::make_shared<lock_meter>(key.first, what);
    names_ += !known && names_ < names_max ? 1 : 0;
  }
  return found;
}

std::vector<std::shared_ptr<lock_meter>> lock_meters::all() const {
  const scoped_lock_on lock(mutex_);
  std::vector<std::shared_ptr<lock_meter>> found;
  found.reserve(meters_.size());
  for (const auto& [key, meter] : meters_) {
    found.push_back(meter);
  }
  return found;
}

}  // namespace zklock::detail
