#include "src/engine/out.hpp"

#include <utility>

#include "src/engine/session_services.hpp"

namespace zklock::engine {

void out::request(tag as, client::any_request&& what) {
  services_.servers().send({0, number_, as, {}}, std::move(what), session_.now);
}

void out::request_heard_first(tag as, client::any_request&& what) {
  services_.servers().send({0, number_, as, {.first = true}}, std::move(what), session_.now);
}

void out::quorum_write(tag as) {
  services_.servers().send({0, number_, as, {.quorum = true}}, services_.deadline().beats().quorum_write(),
                           session_.now);
}

void out::watch(tag as, std::string path, watch_table::kind on) {
  if (!services_.servers().watch(number_, as, std::move(path), on, session_.now)) {
    told_.emplace_back([as](operation& it, out& wants) { it.watch_refused(as, wants); });
  }
}

void out::forget_watch(tag as) { services_.servers().forget_watch(number_, as); }
double out::share_of_watches() const { return services_.servers().share_of_watches(); }
void out::forget_requests() { services_.servers().forget_requests(number_); }

/// A grant is delivered only while the local deadline is ahead (F19); until an answer says so, it waits.
void out::await_cover() {
  if (services_.is_ahead(number_, session_.now)) {
    told_.emplace_back([](operation& it, out& wants) { it.covered(wants); });
  }
}

void out::await_proof() {
  if (services_.ask_for_proof(session_.now)) {
    told_.emplace_back([](operation& it, out& wants) { it.proven(wants); });
  }
}

void out::await_no_cover() { services_.deadline().await_no_more(number_); }
void out::count(counted what, int by) { services_.deadline().count(what, by); }
void out::note_no_containers() { services_.note_no_containers(); }
void out::report_loss(std::shared_ptr<detail::hold> lost) { services_.world().notice_of_loss(std::move(lost)); }
void out::report_revocation(std::shared_ptr<detail::hold> asked) {
  services_.world().notice_of_revocation(std::move(asked));
}
void out::notify(std::function<void()> what, std::string name) {
  services_.world().notify(std::move(what), std::move(name));
}
void out::log(log_line line) { services_.world().log(std::move(line)); }

}  // namespace zklock::engine
