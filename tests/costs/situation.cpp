#include "tests/costs/situation.hpp"

#include <algorithm>
#include <stdexcept>

#include "recipes/permit_limit.hpp"

namespace zklock::costs {
namespace {

using detail::wanted_part;
using detail::wanted_parts;
using recipes::contender_kind;

std::shared_ptr<const detail::lock_target> lock_at(std::string path) {
  auto made = std::make_shared<detail::lock_target>();
  made->path = std::move(path);
  made->acl = {client::acl_entry{}};
  return made;
}

wanted_part one_of(contender_kind kind) { return {lock_at("/l"), {kind}}; }
wanted_part permits(std::uint32_t count, std::uint32_t limit) {
  return {lock_at("/s"), {contender_kind::permit, count, limit}};
}

wanted_parts three_locks() {
  return {{lock_at("/l"), {contender_kind::mutex}},
          {lock_at("/m"), {contender_kind::mutex}},
          {lock_at("/n"), {contender_kind::mutex}}};
}

void add_again(std::vector<situation>& to, const std::string& recipe, const wanted_parts& wanted) {
  to.push_back({recipe, "alone, the second time in its session", {}, 0, wanted, false, 1});
  to.push_back({recipe, "alone, from the third time on", {}, 0, wanted, false, 2});
}

void add_queue_of(std::vector<situation>& to, const std::string& recipe, const wanted_parts& wanted) {
  to.push_back({recipe, "alone", {}, 0, wanted});
  to.push_back({recipe, "behind one", wanted, 1, wanted});
  to.push_back({recipe, "behind ten", wanted, 10, wanted});
}

std::uint32_t limit_in(const situation& plays) {
  for (const wanted_part& part : plays.newcomer) {
    if (part.spec.limit != 0) {
      return part.spec.limit;
    }
  }
  return 1;
}

}  // namespace

std::vector<situation> situations() {
  const wanted_part reader = one_of(contender_kind::read);
  const wanted_part writer = one_of(contender_kind::write);
  std::vector<situation> all;
  add_queue_of(all, "mutex", {one_of(contender_kind::mutex)});
  add_again(all, "mutex", {one_of(contender_kind::mutex)});
  all.push_back({"reader", "alone", {}, 0, {reader}});
  add_again(all, "reader", {reader});
  all.push_back({"reader", "beside ten readers", {reader}, 10, {reader}});
  all.push_back({"reader", "behind one writer", {writer}, 1, {reader}});
  all.push_back({"reader", "behind one writer that downgrades", {writer}, 1, {reader}, true});
  all.push_back({"reader", "behind ten writers", {writer}, 10, {reader}});
  add_queue_of(all, "writer", {writer});
  add_again(all, "writer", {writer});
  all.push_back({"writer", "behind ten readers", {reader}, 10, {writer}});
  add_queue_of(all, "1 permit of 1", {permits(1, 1)});
  all.push_back({"1 permit of 3", "alone", {}, 0, {permits(1, 3)}});
  all.push_back({"1 permit of 3", "alone, once more by the same lock object", {}, 0, {permits(1, 3)}, false, 1});
  all.push_back({"1 permit of 3", "beside two holders", {permits(1, 3)}, 2, {permits(1, 3)}});
  all.push_back({"1 permit of 3", "behind ten (three hold)", {permits(1, 3)}, 10, {permits(1, 3)}});
  all.push_back({"3 permits of 3", "behind three holders of 1", {permits(1, 3)}, 3, {permits(3, 3)}});
  add_queue_of(all, "multi-lock of 3 mutexes", three_locks());
  return all;
}

cost measure(const situation& plays) {
  testing::ensemble servers;
  for (const char* const lock : {"/l", "/m", "/n"}) {
    servers.administrator().create_node(lock, "", true);
  }
  servers.administrator().create_node("/s", recipes::limit_data({limit_in(plays), limit_in(plays)}));
  std::vector<std::unique_ptr<metered_client>> before;
  for (std::size_t i = 0; i < plays.how_many; ++i) {
    before.push_back(std::make_unique<metered_client>(servers, static_cast<int>(i)));
    before.back()->acquire(plays.before);
  }
  const int last = static_cast<int>(plays.how_many);
  metered_client newcomer(servers, last);
  for (std::size_t i = 0; i < plays.again; ++i) {
    newcomer.acquire(plays.newcomer);
    newcomer.release();
    newcomer.reset();
  }
  newcomer.acquire(plays.newcomer);
  cost found;
  found.to_enter = newcomer.read();
  found.at_once = newcomer.holds();
  found.watches = servers.view().watches(last).in_client;
  newcomer.reset();
  for (const auto& one : before) {
    one->reset();
  }
  for (const auto& one : before) {
    if (newcomer.holds()) {
      break;
    }
    std::vector<bool> held;
    for (const auto& other : before) {
      held.push_back(other->holds());
      other->reset();
    }
    const std::uint64_t woken_before = newcomer.read().wake_ups;
    plays.downgrades ? one->downgrade() : one->release();
    std::uint64_t in_vain = newcomer.read().wake_ups > woken_before && !newcomer.holds() ? 1 : 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
      in_vain += before[i]->read().wake_ups > 0 && before[i] != one && held[i] == before[i]->holds() ? 1 : 0;
    }
    found.woken_by_a_release = std::max(found.woken_by_a_release, in_vain);
  }
  found.to_wait = newcomer.read();
  if (!newcomer.holds()) {
    throw std::logic_error(plays.recipe + " " + plays.where + ": never granted");
  }
  found.marks = found.to_enter.sent<client::request::set>() + found.to_wait.sent<client::request::set>();
  newcomer.reset();
  newcomer.release();
  found.to_release = newcomer.read();
  return found;
}

}  // namespace zklock::costs
