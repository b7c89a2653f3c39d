#include "src/cli/help_text.hpp"

namespace zklock::cli::help_text {

const char* const about = "Locks among all processes that use the same ZooKeeper.";

const char* const about_run =
    "Runs COMMAND while holding the lock at PATH, and releases it when COMMAND has ended. The lock is a mutex, unless "
    "an\n"
    "option says otherwise; with several PATHs it holds for all of them.";

const char* const about_ls = "Lists the holders and the waiters of the lock at PATH, first come first.";

const char* const details_of_run = R"(A DURATION is a whole number and a unit: 500ms, 5s, 2m, 1h.

A server that does not answer is given up for the next one after two thirds of the session timeout. Without
--timeout, and with 0, zklock waits for ZooKeeper until it has tried each server: 1s with one server; with two
or three 1s more than twice that time (14.3s), whether they are down or silent.

Several PATHs are queued for in one step, so that commands with some PATHs in common never wait for each other in a
circle, in whatever order they name them. A COMMAND that runs zklock again holds one lock while it waits for
another: there you have to see to an order yourself.

With --layout curator, Java programs that use Apache Curator's locks at PATH and commands exclude each other: mutexes
(which they do in either layout), --shared and --exclusive, and --semaphore. All at one PATH have to agree on the layout.
Several PATHs are taken one after the other then, in the order given, as Curator does: give them in one order everywhere,
or commands wait for each other in a circle. The LIMIT of a semaphore is kept on no server: no client is told when
another one says another LIMIT. What others see is --label alone, or this machine's address.

COMMAND finds in its environment:
  ZKLOCK_PATH   PATH; of several, one a line, as they were given
  ZKLOCK_NODE   the node that holds the lock; of several, one a line, in the same order. (In Curator's layout several
                permits have a node each.)
  ZKLOCK_TOKEN  the fencing token, a text that sorts behind that of every earlier holder. Let the store that COMMAND
                writes to refuse a request with a smaller one than it has seen. With --shared and --semaphore several
                hold at once: a store must not refuse one because of another's.
  ZKLOCK_TOKEN_NUMBER
                the same as a number, for a store that compares numbers

When the lock is lost (of several PATHs: one of them), COMMAND and all that it has started get SIGTERM at once, and
SIGKILL after --kill-after. A second process, lock-guardian, sees to that also when zklock itself is killed or stopped.

The lock is released when COMMAND and all that it has started have ended, daemons too.

SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGTSTP and SIGCONT are passed on to COMMAND; while zklock waits
for the lock they do to it what they do to any program. COMMAND has the terminal while it runs. A zklock that is stopped
(Ctrl-Z) keeps the lock for no longer than the session timeout; then COMMAND is ended.)";

const char* const exit_statuses = R"(Exit status:
  COMMAND's own, or
  64    bad usage: an option, PATH, a duration or the server list
  69    ZooKeeper not in reach in time (see --timeout), or an error from it; PATH is another kind of lock,
        or a semaphore with another LIMIT
  70    the command itself could not do its work (no memory, no process ...)
  75    the lock was not granted within --timeout
  79    the lock was lost while COMMAND ran
  126   COMMAND is not executable
  127   COMMAND was not found
  128+n COMMAND was ended by signal n, or the wait for the lock was)";

const char* const details_of_ls = R"(One line each, in this order:
  POSITION  in the queue; 0 is the first
  STATE     held or waiting, by its place in the queue. A client shown as a holder may not know it yet, or be dead
            until its session ends: what is shown has been so when the servers were asked
  KIND      mutex, read, write or permits. A writer that was downgraded is shown as read
  PERMITS   of a semaphore: how many it wants, and of how many ("3/8"). Left out where no client wants any
  LAYOUT    native or curator: how to contend with it (run --layout); "-" for a mutex, which is the same in both.
            Left out where no contender is in Curator's
  NODE      its node
  TOKEN     its fencing token
  HOST, PID, LABEL, SINCE
            what it says of itself, "-" if it does not. Other libraries' participants have at most a LABEL: their
            node's data. What a terminal cannot show is written as \xNN, byte by byte; ... ends what was cut.

When PATH has a child "leases", those below it and below "locks" are listed as the semaphore that they are in
Curator's layout: each lease with one permit, as held; then the clients that wait in line to make theirs, without token
and PERMITS. No node says how many leases there may be. The first client in line waits with its lease already, and is
shown once: by that lease, as waiting.

--json prints an array of objects with the keys
position, state, kind, permits, limit, layout, node, token, host, pid, owner, label and since,
in ASCII, null for what is not known; bytes that are no UTF-8 become U+FFFD. An empty queue: nothing, or [].

--recursive lists every lock at PATH and below it at which a client holds or waits: a line with its path, then its
lines as above; an empty line between two locks. Paths are sorted. From / on, /zookeeper is left out. A node whose children
an access list hides is named on stderr. With --json: an array of objects with the keys path, error (null, or why the
node could not be read) and participants (the array above). At most 250000 nodes are looked at.

Exit status:
  0     listed; the queue may be empty
  64    bad usage: an option, PATH, a duration or the server list
  69    ZooKeeper not in reach in time (see --timeout), or an error from it. With --recursive also: a node could not be
        read; all others are listed
  70    the command itself could not do its work (no memory, stdout closed ...)

Examples:
  zklock ls /locks/nightly
  zklock ls --json /locks/nightly | jq -r '.[] | select(.state == "held") | .host'
  zklock ls --recursive /locks)";

const char* const examples = R"(Examples:
  zklock run /locks/nightly -- ./backup --full
  zklock run --timeout 0 /locks/nightly -- ./backup     # not if another one is at it
  zklock run --shared /config -- ./report              # beside others, never beside: run --exclusive /config
  zklock run --semaphore 4 /build-slots -- make        # four at a time
  zklock run /accounts/7 /accounts/9 -- ./transfer 7 9
  zklock run --layout curator --exclusive /config -- ./reconfigure     # beside Java's InterProcessReadWriteLock
  zklock --connect zk1:2181,zk2:2181,zk3:2181/app run --timeout 30s /deploy -- sh -c 'make && make deploy')";

}  // namespace zklock::cli::help_text
