// Writes that only the holder of a lock can make.
//
//     guarded_writes SERVERS  e.g. 127.0.0.1:2181/example
#include <chrono>
#include <iostream>
#include <string>
#include <thread>

#include <zklock/zklock.hpp>

using namespace std::chrono_literals;

//! [write]
// The servers apply both writes or neither, and only if the lock is still held at that moment.
bool place_order(zklock::session& session, zklock::recursive_mutex& orders, const std::string& order) {
  const zklock::grant g = orders.acquire();
  // ... slow work
  std::error_code ec;
  session.transaction()
      .guarded_by(g)
      .create("/shop/order-", order, zklock::create_mode::persistent_sequential)
      .set("/shop/last", order)
      .commit(ec);
  if (ec == zklock::errc::lost) {
    std::cout << "lost the lock, and wrote nothing\n";
  }
  return !ec;
}
//! [write]

//! [once]
// Pays once, also when an answer is lost. One transaction writes the payment and the receipt: if a second try finds the
// receipt, an earlier try has paid. If the function returns false, the next holder has to check for the receipt.
bool pay_once(zklock::session& session, const zklock::grant& g, const std::string& balance,
              const std::string& receipt) {
  for (;;) {
    std::error_code ec;
    session.transaction().guarded_by(g).set("/shop/balance", balance).create("/shop/" + receipt).commit(ec);
    if (!ec || ec == zklock::errc::node_exists) return true;
    const bool again = zklock::may_have_applied(ec) || zklock::is_transient(ec);
    if (!again || !session.wait_connected_for(10s, g.lost())) return false;
    std::this_thread::sleep_for(100ms);  // a connected server, too, can refuse a request for the moment
  }
}
//! [once]

//! [several]
// Two locks guard one transaction: the servers apply it only if both are still held.
void transfer(zklock::session& session, const zklock::grant& from, const zklock::grant& to) {
  session.transaction()
      .guarded_by(from)
      .guarded_by(to)
      .set("/shop/from", "90")
      .set("/shop/to", "110")
      .commit();  // throws zklock::error, which names the lock that was lost, or the operation that failed
}
//! [several]

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: guarded_writes SERVERS\n";
    return 64;
  }
  zklock::session session(arguments[1], {.timeout = 10s});
  zklock::recursive_mutex orders(session, "/locks/orders");
  zklock::recursive_mutex stock(session, "/locks/stock");
  const zklock::grant other = stock.acquire();
  zklock::transaction shop = session.transaction();
  shop.create("/shop");
  for (const char* node : {"/shop/last", "/shop/balance", "/shop/from", "/shop/to"}) {
    shop.create(node);
  }
  shop.commit();

  bool as_expected = place_order(session, orders, "tea");
  const zklock::grant g = orders.acquire();
  as_expected = pay_once(session, g, "90", "receipt-1") && pay_once(session, g, "90", "receipt-1") && as_expected;
  session.transaction().check("/shop/balance", 1).commit();  // version 1: the payment was written once
  transfer(session, g, other);

  session.transaction().remove(g.node()).commit();  // as an operator removes the holder's node
  try {
    transfer(session, g, other);
    as_expected = false;
  } catch (const zklock::error& refused) {
    std::cout << refused.what() << '\n';
    as_expected = refused.code() == zklock::errc::lost && refused.path() == "/locks/orders" && as_expected;
  }
  as_expected = !pay_once(session, g, "80", "receipt-2") && as_expected;
  session.transaction().check("/shop/from", 1).check("/shop/balance", 1).commit();  // nothing was written

  zklock::transaction all_of_it = session.transaction();
  for (const char* node : {"last", "balance", "from", "to", "order-0000000004", "receipt-1"}) {
    all_of_it.remove("/shop/" + std::string(node));
  }
  all_of_it.remove("/shop").commit();
  return as_expected ? 0 : 1;
}
