#include "tests/integration/on_a_server.hpp"

#include <algorithm>
#include <random>
#include <sstream>

#include "tests/support/four_letter_word.hpp"

namespace zklock::test {
namespace {

std::string random_root() {
  std::random_device device;
  std::ostringstream text;
  text << "/t-" << std::hex << device() << device();
  return text.str();
}

std::string lines(const std::vector<std::string>& several) {
  std::string text;
  for (const std::string& one : several) {
    text += "\n  " + one;
  }
  return text;
}

}  // namespace

on_a_server::on_a_server(const std::string& address)
    : port_(test_support::ports_of(address).front()),
      root_(random_root()),
      server_("127.0.0.1:" + std::to_string(port_), credentials) {}

void on_a_server::TearDown() {
  expect_nothing_left();
  sessions_.clear();
  server_.remove_tree(root_);
}

session& on_a_server::open(session_options options) {
  return open_at("127.0.0.1:" + std::to_string(port_), std::move(options));
}

session& on_a_server::open_through(const proxy& way, session_options options) {
  return open_at(way.address(), std::move(options));
}

session& on_a_server::open_at(const std::string& addresses, session_options options) {
  sessions_.push_back(std::make_unique<session>(addresses + root_, std::move(options)));
  return *sessions_.back();
}

proxy& on_a_server::new_proxy() {
  proxies_.push_back(std::make_unique<proxy>(port_));
  return *proxies_.back();
}

void on_a_server::expire_behind(proxy& way) {
  way.set_mode(proxy_mode::cut);  // or the client would take its session back
  test_support::expire_session(port_, way.last_session());
}

std::vector<std::string> on_a_server::contenders(const std::string& path) { return server_.children(full(path)); }

bool on_a_server::queue_grows_to(std::size_t size, const std::string& path) {
  return eventually([&] { return contenders(path).size() == size; });
}

std::future<grant> on_a_server::queue_up(recursive_mutex& lock, std::size_t size, test_support::call_site where) {
  const testing::ScopedTrace from(where.file, where.line, "queue_up()");
  auto waiting = in_a_thread([&lock] { return acquire_patiently(lock); });
  EXPECT_TRUE(queue_grows_to(size, lock.path()));
  return waiting;
}

bool on_a_server::is_watched(std::string_view path) const {
  const std::vector<std::string> watched = watched_paths();
  return std::find(watched.begin(), watched.end(), path) != watched.end();
}

std::vector<std::string> on_a_server::watched_paths() const {
  std::vector<std::string> found;
  std::istringstream answer(test_support::ask_server(port_, "wchp"));
  for (std::string line; std::getline(answer, line);) {
    if (line.starts_with(root_)) {
      found.push_back(line);
    }
  }
  return found;
}

void on_a_server::touch_lock_node(const std::string& path) {
  static_cast<void>(server_.ask(client::request::set{full(path), server_.data(full(path))}));
}

void on_a_server::expect_nothing_left() {
  EXPECT_TRUE(eventually([&] { return server_.ephemerals_below(root_).empty(); }))
      << "left:" << lines(server_.ephemerals_below(root_));
  // A session watches a lock node that it has taken again: the node is there, and is no contender.
  const auto watched = [&] {
    std::vector<std::string> paths = watched_paths();
    std::erase_if(paths, [&](const std::string& path) {
      const auto stat = server_.look(path);
      return stat && stat->ephemeral_owner == 0;
    });
    return paths;
  };
  EXPECT_TRUE(eventually([&] { return watched().empty(); })) << "watched:" << lines(watched());
}

}  // namespace zklock::test
