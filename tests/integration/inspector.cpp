#include "tests/integration/inspector.hpp"

#include <stdexcept>
#include <utility>
#include <variant>

#include "src/zookeeper/c_client.hpp"
#include "src/zookeeper/server_list.hpp"

namespace zklock::test {

namespace request = client::request;
using client::code;

inspector::inspector(const std::string& servers, const std::string& credentials) {
  client::parameters with;
  if (!credentials.empty()) {
    with.auth_scheme = "digest";
    with.auth_credentials = credentials;
  }
  to_ = client::c_client_factory(client::server_list::parse(servers))->open(with, told_);
}

inspector::~inspector() {
  to_->close();
  (void)told_.wait_closed();
}

client::reply inspector::ask(client::any_request what) {
  const client::request_id id = ++last_;
  const std::size_t told_before = told_.size();
  to_->submit(id, std::move(what));
  return told_.reply_to(id, told_before);
}

client::reply inspector::expect(client::any_request what, std::string_view path, code also) {
  client::reply answer = ask(what);
  // A server that was frozen or restarted may have cost an answer; everything but a create may be asked again.
  for (int more = 3; more > 0 && recipes::classify(answer.code) == recipes::outcome::unknown &&
                     !std::holds_alternative<request::create>(what);
       --more) {
    answer = ask(what);
  }
  if (answer.code != code::ok && answer.code != also) {
    throw std::runtime_error("inspector: " + std::string(path) + ": " + std::string(recipes::name(answer.code)));
  }
  return answer;
}

std::optional<client::stat> inspector::look(const std::string& path) {
  const client::reply answer = expect(request::exists{path}, path, code::no_node);
  return answer.code == code::ok ? std::optional(answer.stat) : std::nullopt;
}

std::vector<std::string> inspector::children(const std::string& path) {
  return expect(request::list{path}, path, code::no_node).children;
}

std::string inspector::data(const std::string& path) { return expect(request::get{path}, path, code::ok).data; }

std::string inspector::create(const std::string& path, client::create_mode mode, const client::acl& acl) {
  for (std::size_t end = path.find('/', 1); end != std::string::npos; end = path.find('/', end + 1)) {
    (void)expect(request::create{path.substr(0, end)}, path, code::node_exists);
  }
  return expect(request::create{path, "", mode, acl}, path, code::ok).name;
}

bool inspector::remove(const std::string& path) {
  return expect(request::remove{path}, path, code::no_node).code == code::ok;
}

void inspector::remove_tree(const std::string& path) {
  for (const std::string& child : children(path)) {
    remove_tree(path + "/" + child);
  }
  (void)remove(path);
}

std::vector<std::string> inspector::ephemerals_below(const std::string& path) {
  std::vector<std::string> found;
  for (const std::string& child : children(path)) {
    const std::string node = path + "/" + child;
    const auto stat = look(node);
    if (stat && stat->ephemeral_owner != 0) {
      found.push_back(node);
    } else if (stat && stat->child_count != 0) {
      const std::vector<std::string> below = ephemerals_below(node);
      found.insert(found.end(), below.begin(), below.end());
    }
  }
  return found;
}

std::int64_t inspector::session_id() const {
  const auto event = told_.wait_state(client::connection_state::connected);
  return event ? event->session_id : 0;
}

}  // namespace zklock::test
