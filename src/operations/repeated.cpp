#include "src/operations/repeated.hpp"

#include <algorithm>

#include <zklock/error.hpp>

namespace zklock::operations {

void repeated::begin(engine::out& wants) {
  if (wants.session().connected) {
    ask(wants);
  }
}

void repeated::connected(engine::out& wants) {
  drop_try(wants);
  ask(wants);
}

void repeated::timer(engine::out& wants) {
  if (until_ <= wants.session().now) {
    stop({make_error_code(errc::not_connected)}, wants);
  } else {
    retry_.cancel();
    ask(wants);
  }
}

std::optional<instant> repeated::due() const { return std::min(until_, retry_.due().value_or(until_)); }

void repeated::ask_later(engine::out& wants) {
  wants.forget_requests();
  forget_try();
  retry_.failed(wants.session().now, wants.session().timeout);
}

void repeated::drop_try(engine::out& wants) {
  wants.forget_requests();
  forget_try();
  retry_.start_anew();
}

}  // namespace zklock::operations
