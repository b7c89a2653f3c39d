#include "src/operations/read_node.hpp"

#include "src/errors/error_of.hpp"

namespace zklock::operations {
namespace {

enum : engine::tag { of_quorum_write, of_get };

}  // namespace

void read_node::ask(engine::out& wants) {
  if (fresh_) {
    wants.quorum_write(of_quorum_write);
  }
  wants.request(of_get, client::request::get{wants.full(path_), client::no_watch});
}

void read_node::reply(engine::tag as, const client::reply_view& answer, engine::out& wants) {
  const recipes::outcome what = recipes::classify(answer.code);
  if (as == of_quorum_write) {
    if (answer.code != client::code::ok) {
      ask_later(wants);
    }
    return;
  }
  if (answer.code == client::code::no_node) {
    told_->complete({});
    wants.finish();
  } else if (what == recipes::outcome::done) {
    told_->complete(
        {read_result::node{std::string(answer.data), {answer.stat.version, answer.stat.czxid, answer.stat.mzxid}}, {}});
    wants.finish();
  } else if (what == recipes::outcome::not_done) {
    stop({detail::error_of(answer.code), answer.code}, wants);
  } else {
    ask_later(wants);
  }
}

void read_node::stop(const detail::failure& why, engine::out& wants) {
  told_->complete({std::nullopt, why});
  wants.finish();
}

}  // namespace zklock::operations
