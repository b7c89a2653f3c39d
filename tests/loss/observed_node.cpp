#include "tests/loss/observed_node.hpp"

#include <stdexcept>
#include <utility>

#include "src/zookeeper/c_client.hpp"
#include "src/zookeeper/server_list.hpp"

namespace zklock::test {
namespace {

constexpr std::chrono::seconds patience{30};

}  // namespace

observed_node::observed_node(const std::string& servers, std::string path) : path_(std::move(path)) {
  to_ = client::c_client_factory(client::server_list::parse(servers))->open({}, *this);
  ask();
  const auto limit = std::chrono::steady_clock::now() + patience;
  const scoped_lock_on lock(mutex_);
  while (!watched_ && !deleted_) {
    if (changed_.wait_until(mutex_, limit) == std::cv_status::timeout) {
      throw std::runtime_error("no server lets " + path_ + " be watched");
    }
  }
}

observed_node::~observed_node() {
  to_->close();
  const scoped_lock_on lock(mutex_);
  while (!closed_) {
    changed_.wait(mutex_);
  }
}

std::optional<boot_clock::time_point> observed_node::deleted() const {
  const scoped_lock_on lock(mutex_);
  return deleted_;
}

// The sync in front: the server that is asked may not have heard of the node yet.
void observed_node::ask() {
  client::request_id id = 0;
  {
    const scoped_lock_on lock(mutex_);
    asked_ += 2;
    id = asked_;
  }
  to_->submit(id - 1, client::request::sync{"/"});
  to_->submit(id, client::request::get{path_, id});
}

void observed_node::on_reply(client::request_id id, const client::reply_view& answer) {
  if (id % 2 != 0) {
    return;  // a sync's
  }
  if (answer.code != client::code::ok && answer.code != client::code::no_node) {
    ask();
    return;
  }
  const scoped_lock_on lock(mutex_);
  watched_ = true;
  if (answer.code == client::code::no_node) {
    saw_it_gone();
  }
  changed_.notify_all();
}

void observed_node::on_node_event(client::watch_id /*id*/, client::node_event event) {
  if (event != client::node_event::deleted) {
    ask();
    return;
  }
  const scoped_lock_on lock(mutex_);
  saw_it_gone();
  changed_.notify_all();
}

void observed_node::saw_it_gone() {
  if (!deleted_) {
    deleted_ = boot_clock::now();
  }
}

void observed_node::on_closed(bool /*confirmed*/) {
  const scoped_lock_on lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

}  // namespace zklock::test
