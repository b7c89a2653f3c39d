#include <zklock/testing/fake_ensemble.hpp>

#include "src/api/connector_access.hpp"
#include "tests/contract/ensemble_under_test.hpp"

namespace zklock::contract {
namespace {

class fake_under_test final : public ensemble_under_test {
 public:
  std::shared_ptr<client::factory> clients(int client) override {
    return detail::connector_access::servers(fake_.clients(client));
  }
  void cut(int client) override { fake_.cut(client); }
  void refuse(int client) override { fake_.refuse(client); }
  void hold(int client) override { fake_.hold(client); }
  void hold_replies(int client) override { fake_.hold_replies(client); }
  void restore(int client) override { fake_.restore(client); }
  void lose_next_request(int client) override { fake_.lose_next_request(client); }
  void lose_next_reply(int client) override { fake_.lose_next_reply(client); }
  void expire_session(int client) override { fake_.expire_sessions(client); }
  void take_over_session(int client) override { fake_.take_over_sessions(client); }
  void freeze() override { fake_.freeze(); }
  void thaw() override { fake_.thaw(); }
  void restart() override { fake_.restart(); }
  void set_sequence_counter(const std::string& path, std::int32_t next) override {
    fake_.restart();
    fake_.set_sequence_counter(path, next);
  }
  void reap_containers() override { fake_.reap_containers(); }

 private:
  testing::fake_ensemble fake_;
};

}  // namespace

std::unique_ptr<ensemble_under_test> make_fake_ensemble() { return std::make_unique<fake_under_test>(); }

}  // namespace zklock::contract
