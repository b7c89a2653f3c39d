// What clients without the credentials of a lock's clients can do, and cannot: docs/guide/security.md has the table.
#include <gtest/gtest.h>

#include <zklock/zklock.hpp>

#include <string>

#include "tests/integration/on_a_server.hpp"
#include "tests/support/error_from.hpp"

namespace zklock::test {
namespace {

namespace request = client::request;
using client::code;

/// A lock of clients with credentials, in which one of them holds; a stranger looks at it from outside.
class a_stranger : public on_a_server {
 protected:
  void TearDown() override {
    held_ = grant();
    EXPECT_TRUE(eventually([&] { return ours_.children(full("/lock")).empty(); }));
    ours_.remove_tree(full("/lock"));
    on_a_server::TearDown();
  }
  [[nodiscard]] code answer_to(client::any_request what) { return stranger_.ask(std::move(what)).code; }
  [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

  const std::string parent_ = server_.create(root_);  // open to all clients
  inspector stranger_{address(), "eve:guess"};
  inspector ours_{address(), "app:secret"};
  session& app_ = open({.acl = acl_creator(), .auth = "app:secret"});
  recursive_mutex lock_{app_, "/lock"};
  grant held_ = lock_.acquire();
};

TEST_F(a_stranger, cannot_list_a_creators_lock_nor_read_its_owners) {
  EXPECT_EQ(answer_to(request::list{full("/lock")}), code::no_auth);
  EXPECT_EQ(answer_to(request::get{root_ + held_.node()}), code::no_auth);
  EXPECT_EQ(answer_to(request::get{full("/lock")}), code::no_auth);
}

TEST_F(a_stranger, cannot_enter_a_creators_lock) {
  EXPECT_EQ(answer_to(request::create{full("/lock/lock-")}), code::no_auth);
  recursive_mutex theirs(open({.auth = "eve:guess"}), "/lock");
  EXPECT_EQ(test_support::error_from([&] { static_cast<void>(theirs.acquire()); }).first, errc::permission_denied);
  EXPECT_TRUE(held_.held());
}

TEST_F(a_stranger, cannot_remove_nor_change_a_creators_contender) {
  EXPECT_EQ(answer_to(request::remove{root_ + held_.node()}), code::no_auth);
  EXPECT_EQ(answer_to(request::set{root_ + held_.node(), "mode=read"}), code::no_auth);
  EXPECT_TRUE(held_.held());
}

TEST_F(a_stranger, sees_the_stat_of_each_node_whose_name_it_knows) {
  const client::reply answer = stranger_.ask(request::exists{root_ + held_.node()});
  EXPECT_EQ(answer.code, code::ok);
  EXPECT_EQ(answer.stat.czxid, held_.token().czxid) << "the fencing token is no secret";
}

TEST_F(a_stranger, can_remove_an_empty_lock_node_below_an_open_parent_and_put_its_own_there) {
  EXPECT_EQ(answer_to(request::remove{full("/lock")}), code::not_empty) << "not while a client contends";
  held_.release();
  EXPECT_EQ(answer_to(request::remove{full("/lock")}), code::ok) << "a removal is checked on the parent";
  EXPECT_EQ(answer_to(request::create{
                full("/lock"), "", client::create_mode::persistent, {client::acl_entry{31, "auth", ""}}}),
            code::ok);
  EXPECT_EQ(test_support::error_from([&] { static_cast<void>(lock_.acquire()); }).first, errc::permission_denied);
  EXPECT_EQ(answer_to(request::remove{full("/lock")}), code::ok);
}

TEST_F(a_stranger, can_do_anything_with_an_open_lock) {
  recursive_mutex open_lock(open(), "/open");
  grant open_hold = open_lock.acquire();
  EXPECT_EQ(answer_to(request::list{full("/open")}), code::ok);
  EXPECT_EQ(answer_to(request::get{root_ + open_hold.node()}), code::ok);
  EXPECT_EQ(answer_to(request::remove{root_ + open_hold.node()}), code::ok);
  EXPECT_TRUE(eventually([&] { return !open_hold.held(); }));
  EXPECT_EQ(open_hold.loss_reason(), loss_reason::node_removed);
}

}  // namespace
}  // namespace zklock::test
