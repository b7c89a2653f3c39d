// Transfers between accounts, each a node with a lock of its own: both locks together, both writes together.
//
//     transfer SERVERS          e.g. 127.0.0.1:2181/example
#include <exception>
#include <future>
#include <iostream>
#include <string>

#include <zklock/adopt.hpp>
#include <zklock/zklock.hpp>

#include "program_handle.hpp"

// One of several processes, as it were.
struct process {
  explicit process(const char* servers) : zookeeper(servers) {}
  [[nodiscard]] int balance(const std::string& account) const { return std::stoi(zookeeper.read(account)); }
  const program_handle zookeeper;
  zklock::session session = zklock::adopt(zookeeper.get());
};

//! [transfer]
// Acquires both locks as one, so two transfers in opposite directions cannot deadlock. The servers apply both writes or
// neither, and only if both locks are still held.
bool transfer(process& here, const std::string& from, const std::string& to, int amount) {
  zklock::recursive_mutex payer(here.session, "/locks" + from), payee(here.session, "/locks" + to);
  zklock::multi_lock both{payer, payee};
  const zklock::grant g = both.acquire();
  const int left = here.balance(from) - amount;
  if (left < 0) return false;
  here.session.transaction()
      .guarded_by(g)
      .set(from, std::to_string(left))
      .set(to, std::to_string(here.balance(to) + amount))
      .commit();  // throws errc::lost with the path of the lost lock, or errc::outcome_unknown
  return true;
}
//! [transfer]

constexpr int rounds = 20;

bool pay(const char* servers, const std::string& from, const std::string& to, int amount) {
  process here(servers);
  bool paid = true;
  for (int i = 0; i < rounds; ++i) {
    paid = transfer(here, from, to, amount) && paid;
  }
  return paid;
}

// What all of it comes to, as seen in between.
int sum(process& here, const std::string& one, const std::string& other) {
  zklock::recursive_mutex first(here.session, "/locks" + one), second(here.session, "/locks" + other);
  zklock::multi_lock both{first, second};
  const zklock::grant g = both.acquire();
  return here.balance(one) + here.balance(other);
}

bool transfers_in_opposite_directions_lose_nothing(const char* servers) {
  const std::string tea = "/accounts/tea", coffee = "/accounts/coffee";
  process here(servers);
  here.session.transaction().create("/accounts").create(tea, "100").create(coffee, "100").commit();
  auto there = std::async(std::launch::async, [&] { return pay(servers, tea, coffee, 3); });
  auto back = std::async(std::launch::async, [&] { return pay(servers, coffee, tea, 2); });
  bool conserved = true;
  for (int i = 0; i < rounds; ++i) {
    conserved = sum(here, tea, coffee) == 200 && conserved;
  }
  const bool paid = there.get() && back.get();
  const bool refused = !transfer(here, tea, coffee, 1000);
  const int left = here.balance(tea), got = here.balance(coffee);
  std::cout << 2 * rounds << " transfers: tea has " << left << ", coffee " << got << ", together " << left + got
            << (conserved ? ", and so at each look in between\n" : ", but not at each look in between\n");
  here.session.transaction().remove(tea).remove(coffee).remove("/accounts").commit();
  return paid && refused && conserved && left == 100 - rounds && got == 100 + rounds;
}

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: transfer SERVERS\n";
    return 64;
  }
  try {
    return transfers_in_opposite_directions_lose_nothing(arguments[1]) ? 0 : 1;
  } catch (const std::exception& failure) {
    std::cerr << failure.what() << '\n';
    return 69;
  }
}
