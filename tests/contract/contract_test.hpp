#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/contract/ensemble_under_test.hpp"
#include "tests/contract/peer.hpp"

/// What the port (src/port/client.hpp) promises, as tests that run against the C client on a real server and against
/// fake_ensemble: the same bodies, so that the fake cannot drift. Each suite is one part of what was measured of
/// ZooKeeper 3.8 and its C client; what the port hides is restated as what the port promises instead.
///
/// | measured                                              | here                                                     |
/// |-------------------------------------------------------|----------------------------------------------------------|
/// | one callback thread, replies in order, FIFO           | order.replies_…, order.a_created_…, order.a_new_…        |
/// | event before the reply that shows it                  | order.a_deleted_event_…                                  |
/// | order at loss, reconnect, expiry                      | order.on_a_loss_…, order.on_a_reconnect_…, order.expired_… |
/// | calls from within a callback                          | order.an_observer_may_submit_from_within_a_call          |
/// | each return code                                      | codes.*, one or more each; of those that the port hides: |
/// | ZCLOSING                                              | codes.after_close_nothing_but_on_closed_is_told          |
/// | ZSESSIONMOVED (the same server hangs up; of two: none) | codes.a_session_taken_over_…                            |
/// | ZUNIMPLEMENTED (no such operation in the port)        | codes.what_the_c_client_cannot_do_…                      |
/// | ZNOWATCHER                                            | codes.forgetting_a_watch_that_is_not_there_…             |
/// | ZTHROTTLEDOP, ZMARSHALLINGERROR, ZSYSTEMERROR         | need a server's or a machine's fault that neither side   |
/// |                                                       | can be made to have; classified in recipes/code.hpp      |
/// | expiry is learned on reconnect, final, no new session | expiry.*                                                 |
/// | one-shot, registered on success, set again, forgotten | watches.*                                                |
/// | create2, multi, containers, digest, size              | requests.*                                               |
/// | sequence numbers and their end                        | parents.*, own_parents.the_counter_…                     |
/// | containers                                            | parents.*, own_parents.*                                 |
namespace zklock::contract {

enum class side : std::uint8_t { real, fake };

class contract_test : public ::testing::TestWithParam<side> {
 protected:
  explicit contract_test(server_kind kind = server_kind::shared);
  void SetUp() override;
  void TearDown() override;

  /// A path below the test's own node, which is removed with all below it at the end.
  [[nodiscard]] std::string at(const std::string& below) const { return root_ + below; }
  [[nodiscard]] ensemble_under_test& ensemble() { return *ensemble_; }
  /// Leaves the client's connection lost and the next one silent, so that requests are kept: restore() sends them.
  void drop_into_silence(peer& whose, int number);

  std::string root_;
  std::unique_ptr<ensemble_under_test> ensemble_;
};

/// For tests that stop or restart the server.
class own_server_test : public contract_test {
 protected:
  own_server_test() : contract_test(server_kind::own) {}
};

std::string name_of(const ::testing::TestParamInfo<side>& info);

}  // namespace zklock::contract

#define ZKLOCK_ON_BOTH_SIDES(suite)                                                                       \
  INSTANTIATE_TEST_SUITE_P(contract, suite,                                                               \
                           ::testing::Values(zklock::contract::side::real, zklock::contract::side::fake), \
                           zklock::contract::name_of)
