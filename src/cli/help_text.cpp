#include "src/cli/help_text.hpp"

namespace zklock::cli::help_text {
namespace {

constexpr option_text of_all[] = {
    {"--connect", "SERVERS", "host[:port][,host[:port]...][/chroot]", "The servers. Default: $ZKLOCK_CONNECT."},
    {"--auth-file", "FILE", "Has USER:PASSWORD, for digest authentication",
     "A file with one line USER:PASSWORD. It is refused if users other than its owner may use it. The credentials "
     "never "
     "stand on a command line. Default: $ZKLOCK_AUTH_FILE, or no credentials if that is not set."},
    {"-v,--verbose", "", "Log what happens to stderr",
     "The log is that of the library, with the lines of the ZooKeeper C client at the level debug. Without this "
     "option, "
     "none of "
     "it is written."},
};

constexpr option_text of_run[] = {
    {"PATH", "", "The lock. Several: all of them are held, or none",
     "A ZooKeeper path. It is made if it is not there."},
    {"--shared", "", "Read: together with others that read", "Never beside a command that holds it with --exclusive."},
    {"--exclusive", "", "Write: alone (the other side of --shared)", ""},
    {"--semaphore", "LIMIT", "Together with others: LIMIT permits in all",
     "All commands have to give the same LIMIT, 1 to 1000000."},
    {"--permits", "N", "With --semaphore: take N permits (default: 1)", ""},
    {"--layout", "NAME", "native, or curator for Java (default: native)",
     "With curator, Java programs that use Apache Curator's locks at PATH and commands exclude each other."},
    {"--acl", "NAME", "open, or creator (default: open)",
     "The access list of the nodes that are created. With open every client may do anything with them; with creator "
     "only clients with the same credentials (see --auth-file)."},
    {"--timeout", "DURATION", "Give up after so long; 0: one try",
     "Covers connecting too. Default: try each server once, then wait for ever."},
    {"--session-timeout", "DURATION", "The ZooKeeper session's timeout T (default: 10s)",
     "When this machine dies, others get the lock after so long. An outage of up to T/4 does not cost the lock, and "
     "with T of 6s or more mostly not one of T/2; one of T does. If the servers grant another T, zklock says so."},
    {"--kill-after", "DURATION", "From SIGTERM to SIGKILL, if the lock is lost",
     "Default: half of the margin, so that COMMAND is gone before others can get the lock. With a longer one "
     "both may run."},
    {"--max-hold", "DURATION", "The longest that COMMAND may hold: ended then",
     "A bound for a stuck COMMAND, from the grant on: at its end the lock is lost (exit status 79). Default: none."},
    {"--on-revoke", "SIGNAL", "Send it to COMMAND when the lock is revoked",
     "By zklock revoke, or a Java program's Revoker: a request, which ends nothing by itself. TERM, SIGTERM or 15, to "
     "COMMAND's whole process group, as all signals. Default: it is said on stderr, and COMMAND goes on. The exit "
     "status "
     "is COMMAND's."},
    {"--label", "TEXT", "For operators that list the lock's holders", ""},
    {"--metrics", "FILE", "Write figures there for Prometheus, each 15s",
     "In the text format, whole at each time, as node_exporter's textfile collector reads them (FILE ends in .prom "
     "then). The "
     "file stays behind. One FILE for each run: the label session says --label, or PATH. Its figures are those of the "
     "page Operating."},
    {"--exit-status", "N", "In place of 75, when it is not granted in time",
     "0 to 255: so that it can be told from COMMAND's own 75. 0: for a job that may be left out; nothing is said of "
     "it."},
};

constexpr option_text of_ls[] = {
    {"PATH", "", "The lock", "A ZooKeeper path."},
    {"-l,--long", "", "Lines of any length, with token and node",
     "Without it a line has 80 columns: HOST and LABEL are cut, and LAYOUT, TOKEN and NODE are left out, KIND too "
     "where "
     "all are mutexes, or all want permits."},
    {"-r,--recursive", "", "All locks at PATH and below it",
     "PATH may be /. Prints a line with each lock's path, then its lines as above, and an empty line between two "
     "locks. "
     "Paths are sorted. From / on, /zookeeper is left out. A node whose children an access list hides is named on "
     "stderr. With --json: an array of objects with the keys path, error (null, or why the node could not be read) and "
     "participants (the array that --json prints otherwise). At most 250000 nodes are looked at."},
    {"--json", "", "For programs: print JSON",
     "An array of objects with the keys position, state, kind, permits, limit, layout, node, token, host, pid, owner, "
     "label, since, revocation_requested and may_be_idle, in ASCII, null for what is not known; bytes that are no "
     "UTF-8 become U+FFFD. An empty queue is []."},
    {"--timeout", "DURATION", "Give up after so long",
     "Covers connecting too. Default: try each server once (1s with one, 5s with two or three, 9s with five); then "
     "10s."},
};

constexpr option_text of_watch[] = {
    {"PATH", "", "The lock", "A ZooKeeper path. It may be missing."},
    {"--json", "", "For programs: a JSON object a line",
     "With the keys time, path, in_reach (whether a server is), holders and waiters (how many), "
     "grants_in_the_last_minute, and first (at most three participants, as zklock ls --json has them), in ASCII; also "
     "on "
     "a terminal."},
};

constexpr option_text of_doctor[] = {
    {"PATH", "", "Where to look: all locks at it and below it", "A ZooKeeper path; / for all locks."},
    {"--json", "", "For programs: print JSON",
     "An object with the keys locks (how many), open_locks (how many have contenders that anyone may remove), "
     "kept_locks (how many have one contender, whose node stays between its holds), findings "
     "(an array of objects with kind, level, path, text and mend), "
     "hidden "
     "(path and error of each node that could not be read) and servers (address, reached, version and faults (ticket, "
     "what) of each; "
     "null for "
     "what is "
     "not known), in ASCII; bytes that are no UTF-8 become U+FFFD."},
    {"--timeout", "DURATION", "Give up after so long (default: 1m)", "Covers connecting too."},
};

constexpr option_text of_evict[] = {
    {"NODE", "", "The node, as zklock ls -l has it", "A ZooKeeper path."},
    {"--yes", "", "Remove it without a question", "Needed where there is no terminal."},
};

constexpr option_text of_revoke[] = {
    {"NODE", "", "The holder's node, as zklock ls -l has it", "A ZooKeeper path."},
    {"--replace-data", "", "Also data that may be a leader's address",
     "Needed where NODE has data that are not zklock's own: they are replaced by Curator's mark. And for a mutex of "
     "Curator's layout or of kazoo, since its node may be a leader's: of a leader, which goes on leading, all are told "
     "that as its address."},
};

constexpr option_text of_elect[] = {
    {"PATH", "", "The election", "A ZooKeeper path. It is made if it is not there; with --observe it may be missing."},
    {"--data", "TEXT", "What others are told of the leader: its address",
     "All that the candidate's node says. --observe and the library's election_observer show it, Java as the "
     "participant's id."},
    {"--latch", "", "Stand beside Curator's LeaderLatch",
     "Without it: beside Curator's LeaderSelector. All candidates of one PATH must use the same."},
    {"--again", "", "Stand again when COMMAND has ended",
     "At the end of the queue, 1s after it stood before at the earliest. Without it zklock exits then, with COMMAND's "
     "status."},
    {"--acl", "NAME", "open, or creator (default: open)",
     "The access list of the nodes that are created. With open every client may do anything with them; with creator "
     "only clients with the same credentials (see --auth-file)."},
    {"--session-timeout", "DURATION", "The ZooKeeper session's timeout T (default: 10s)",
     "When this machine dies, another one leads after so long. An outage of up to T/4 does not cost the lead, "
     "and with T of 6s or more mostly not one of T/2; one of T does."},
    {"--kill-after", "DURATION", "From SIGTERM to SIGKILL, if the lead is lost",
     "Default: half of the margin, so that COMMAND is gone before another one can lead. With a longer one "
     "both may run."},
    {"--max-hold", "DURATION", "The longest that COMMAND may lead: ended then",
     "A bound for a stuck COMMAND, from the begin of each term: at its end the term is lost, and zklock exits with 79; "
     "with --again it stands again. Default: none."},
    {"--metrics", "FILE", "Write figures there for Prometheus, each 15s", "As with zklock run."},
    {"--observe", "", "Print who leads, until a signal", "It stands for nothing, and takes no COMMAND."},
    {"--json", "", "For programs: a JSON object a line",
     "With the keys state (present, none or refused), current, token, data, node, session and error, in ASCII, null "
     "for "
     "what is not known; bytes that are no UTF-8 become U+FFFD."},
};

}  // namespace

std::span<const option_text> options_of_all() noexcept { return of_all; }
std::span<const option_text> options_of_run() noexcept { return of_run; }
std::span<const option_text> options_of_ls() noexcept { return of_ls; }
std::span<const option_text> options_of_watch() noexcept { return of_watch; }
std::span<const option_text> options_of_doctor() noexcept { return of_doctor; }
std::span<const option_text> options_of_evict() noexcept { return of_evict; }
std::span<const option_text> options_of_revoke() noexcept { return of_revoke; }
std::span<const option_text> options_of_elect() noexcept { return of_elect; }

const char* const about = "Locks among all processes that use the same ZooKeeper.";
const char* const about_run = "Runs COMMAND while holding the lock at PATH.";
const char* const about_ls = "Lists holders and waiters of the lock at PATH.";
const char* const about_watch = "Shows a lock's holders and waiters, live.";

const char* const about_doctor = "Finds what is wrong with locks.";
const char* const about_evict = "Removes a holder's or a waiter's node.";
const char* const about_revoke = "Asks a lock's holder to let go.";
const char* const about_elect = "Runs COMMAND while leading, or shows who leads.";

const char* const footer = R"(Example: zklock run --timeout 30s /locks/nightly -- ./import.sh
Details: man zklock, man zklock-run, zklock-ls, and so with each)";

const char* const footer_run = R"(DURATION: 5s, 2m, 1h. Exit: COMMAND's, 75 not in time, 79 lost; man zklock-run)";

const char* const footer_ls = R"(DURATION: 500ms, 5s, 2m, 1h. Exit status: 0 listed, 64 bad usage,
69 ZooKeeper not in reach or an error from it, 70 internal.
Example: zklock ls --recursive /locks    Details: man zklock-ls)";

const char* const footer_watch = R"(On a terminal drawn anew at each change, elsewhere a line for each.
Exit status: 64 bad usage, 69 ZooKeeper not in reach at the start or an error
from it, 70 internal.
Example: zklock watch /locks/nightly    Details: man zklock-watch)";

const char* const footer_doctor = R"(Exit status: 0 no problem, 1 a problem, 2 a part is hidden, 64 bad usage,
69 ZooKeeper not in reach or an error from it, 70 internal.
Example: zklock doctor /locks    Details: man zklock-doctor)";

const char* const footer_evict = R"(Exit status: 0 evicted, 1 left alone, 64 bad usage, 69 ZooKeeper not in reach or
an error from it, 70 internal.
Example: zklock evict /locks/nightly/0fd3a1...-lock-0000000017
Details: man zklock-evict)";

const char* const footer_revoke = R"(Exit status: 0 asked, 1 left alone, 64 bad usage, 69 ZooKeeper not in reach or
an error from it, 70 internal.
Example: zklock revoke /locks/nightly/0fd3a1...-lock-0000000017
Details: man zklock-revoke)";

const char* const footer_elect = R"(Exit status: COMMAND's, or 64, 69 no ZooKeeper at the start, 70, 79 --max-hold.
Example: zklock elect --data $HOSTNAME /app/leader -- ./serve
         zklock elect --observe /app/leader            Details: man zklock-elect)";

const char* const description = R"(zklock gives shell commands the locks of the zklock library.

zklock run runs a command while it holds a lock, and ends the command when the lock is lost. See zklock-run(1).

zklock ls lists the holders and the waiters of a lock, or of all locks below a path. See zklock-ls(1).

zklock watch shows them live, of one lock. See zklock-watch(1).

zklock doctor says what is wrong with locks: clients that wait for each other, or that do not exclude each other. See
zklock-doctor(1).

zklock evict removes the node of a holder or a waiter. See zklock-evict(1).

zklock revoke asks a holder to let go. See zklock-revoke(1).

zklock elect runs a command while it leads an election, term after term; with --observe it shows who leads. See
zklock-elect(1).)";

const char* const description_of_elect =
    R"(Stands for the election at PATH, and runs COMMAND when elected. When the lead is lost, COMMAND
and all that it has started get SIGTERM at once, and SIGKILL after --kill-after; when nothing of it is left, zklock stands
again, at the end of the queue. It does so through losses and outages, in one process: only at its start must a server be
in reach. It says on stderr when it stands, leads, and loses the lead.

When COMMAND has ended by itself, the lead is given back, and zklock exits with COMMAND's status: a service manager that
starts it again puts it at the end of the queue. With --again it stands again itself.

A second process, lock-guardian, ends COMMAND also when zklock itself is killed or stopped. When zklock was killed, it then
ends zklock's session, so that the next one leads at once, and not after --session-timeout. It does nothing of that kind when the
whole machine or container dies: then the timeout is the bound. Bytes that COMMAND has sent may still be under way: let the
store compare ZKLOCK_TOKEN.

With --observe: prints a line at once, and one for each change, until a signal ends it:
  TOKEN "DATA"  the leader's fencing token, and what its node says: its address, for example. What a terminal cannot show
    is written as \xNN, byte by byte; ... ends what was cut
  TOKEN hidden  an access list hides what the node says
  none  no candidate
  refused: WHY  an access list hides the election; or there are candidates of two kinds, which do not exclude each other

Tokens only grow. A leader that does not last may be left out, the last one never is. The words (not current) end a
line from the loss of the connection until the first answer behind the next one.

The leader is the first in the queue on the servers. It may not know that yet, may have stopped already, or may never
lead. The election may be that of the zklock library, or of Curator's LeaderSelector or LeaderLatch.

An observer costs the servers one list and one read for each change of leader, and nothing for other candidates.)";

const char* const environment_of_elect = R"(zklock reads ZKLOCK_CONNECT and ZKLOCK_AUTH_FILE: see --connect and
--auth-file.

COMMAND finds in its environment:
  ZKLOCK_PATH  PATH
  ZKLOCK_NODE  the candidate's node
  ZKLOCK_TOKEN  the fencing token of the term, a text that sorts behind that of every earlier term. Let the store that
    COMMAND writes to refuse a request with a smaller one than it has seen
  ZKLOCK_TOKEN_NUMBER  the same as a number, for a store that compares numbers)";

const char* const signals_of_elect =
    R"(As with zklock run: while COMMAND runs they are passed on to it. After SIGTERM, SIGINT
or SIGQUIT zklock exits when COMMAND has ended, also with --again, and gives the lead back then. While it stands, a signal does to
it what it does to any program.)";

const char* const exit_statuses_of_elect = R"(COMMAND's own, 128+n when signal n has ended it or the wait, or
  64  bad usage: an option, PATH, a duration, the server list, or the file of --auth-file
  69  ZooKeeper not in reach at the start, or it refuses the candidate; PATH is another kind of lock
  70  zklock itself could not do its work (no memory, stdout closed ...)
  79  COMMAND was ended by --max-hold; or a process of it cannot be ended, or zklock was asked to end, and the lead was lost
  126  COMMAND is not executable
  127  COMMAND was not found)";

const char* const examples_of_elect = R"(  zklock elect --data "$(hostname):8080" /app/leader -- ./serve --port 8080
  zklock elect --again --max-hold 1h /app/compactor -- ./compact
  zklock elect --observe /app/leader
  zklock elect --observe --json /app/leader | jq --unbuffered -r 'select(.current) | .data')";

const char* const description_of_run =
    R"(Acquires the lock at PATH, runs COMMAND, and releases the lock when COMMAND has
ended. The lock is a mutex, unless an option says otherwise; with several PATHs the option holds for all of them.

A DURATION is a whole number and a unit: 500ms, 5s, 2m, 1h.

A server that does not answer is given up for the next one after two thirds of the session timeout. Without
--timeout, and with 0, zklock waits for ZooKeeper until it has tried each server: 1s with one server; with two
or three 1s more than twice that time (14.3s), whether they are down or silent.

A wait goes on through an outage, and says so on stderr: when no server has been in reach for two seconds, and when one is
again. Where --timeout ends in an outage, the exit status is 69: whether another client holds the lock is not known.

Several PATHs are queued for in one step, so commands with some PATHs in common cannot deadlock, in whatever order they
name them. A COMMAND that runs zklock again holds one lock while it waits for another: such commands can deadlock.

With --layout curator the mutexes, --shared and --exclusive, and --semaphore exclude Java's. (Mutexes do in either
layout.) All clients of one PATH have to use the same layout. Several PATHs are then taken one after the other, in the
order given, as Curator does: give them in one order everywhere, or commands can deadlock. The LIMIT of a semaphore is
kept on no server: no client is told when another one uses another LIMIT. Others see --label alone, or this machine's
address.

When the lock is lost (of several PATHs: one of them), COMMAND and all that it has started get SIGTERM at once, and
SIGKILL after --kill-after. A second process, lock-guardian, does this also when zklock itself is killed or stopped. When
zklock was killed, it then ends zklock's session, so that the next one gets the lock at once, and not after --session-timeout.
It does nothing of that kind when the whole machine or container dies: then the timeout is the bound. Bytes that COMMAND has sent
may still be under way: let the store compare ZKLOCK_TOKEN.

The lock is released when COMMAND and all that it has started have ended, daemons too. To see them zklock needs /proc.)";

const char* const environment_of_run = R"(zklock reads:
  ZKLOCK_CONNECT  see --connect
  ZKLOCK_AUTH_FILE  see --auth-file

COMMAND finds in its environment:
  ZKLOCK_PATH  PATH; of several, one a line, as they were given
  ZKLOCK_NODE  the node that holds the lock; of several, one a line, in the same order. (In Curator's layout several
    permits have a node each.)
  ZKLOCK_TOKEN  the fencing token, a text that sorts behind that of every earlier holder. Let the store that COMMAND
    writes to refuse a request with a smaller one than it has seen. With --shared and --semaphore several
    clients hold at once: a store must not refuse one because of another's.
  ZKLOCK_TOKEN_NUMBER  the same as a number, for a store that compares numbers)";

const char* const signals_of_run = R"(SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGTSTP and SIGCONT are
passed on to COMMAND; while zklock waits for the lock they do to it what they do to any program. COMMAND has the terminal
while it runs. A zklock that is stopped (Ctrl-Z) keeps the lock for no longer than the session timeout; then COMMAND is
ended.)";

const char* const exit_statuses_of_run = R"(COMMAND's own, or
  64  bad usage: an option, PATH, a duration, the server list, or the file of --auth-file
  69  ZooKeeper not in reach in time (see --timeout), also at its end, so that it is not known whether another client is
    first; or an error from it; PATH is another kind of lock,
    or a semaphore with another LIMIT
  70  the command itself could not do its work (no memory, no process, no /proc ...)
  75  the lock was not granted within --timeout, and another client is first
  79  the lock was lost while COMMAND ran
  126  COMMAND is not executable
  127  COMMAND was not found
  128+n  COMMAND was ended by signal n, or the wait for the lock was)";

const char* const examples_of_run = R"(  zklock run /locks/nightly -- ./backup --full
  zklock run --timeout 0 /locks/nightly -- ./backup     # not if another client holds
  zklock run --shared /config -- ./report               # never beside: run --exclusive /config
  zklock run --semaphore 4 /build-slots -- make         # four at a time
  zklock run /accounts/7 /accounts/9 -- ./transfer 7 9
  zklock run --layout curator --exclusive /config -- ./reconfigure
  zklock --connect zk1:2181,zk2:2181/app run --timeout 30s /deploy -- sh -c 'make && make deploy')";

const char* const description_of_ls =
    R"(Prints one line for each, the first in the queue first. Scripts take --json, since columns
may change. HOST, PID, LABEL and SINCE are what it says of itself, "-" if it does not. Other libraries' participants have at
most a LABEL: their node's data. What a terminal cannot show is written as \xNN, byte by byte; ... ends what was cut.
  STATE  held or waiting, by its place in the queue. A client shown as a holder may not know it yet, or be dead
    until its session ends: the list shows what was so when the servers were asked. asked: it holds, and another client has
    asked it to let go (zklock revoke)
  SINCE  when it came into the queue, by its own clock
  HOST, PID  the process
  LABEL  of run --label, or of lock_options::label
  KIND  mutex, read, write or permits. A writer that was downgraded is shown as read
  PERMITS  of a semaphore: how many it wants, and of how many ("3/8"). Left out where no client wants any
  LAYOUT  native or curator: how to contend with it (run --layout); "-" for a mutex, which is the same in both.
    With --long; left out where no contender is in Curator's
  TOKEN  its fencing token; with --long
  NODE  its node; with --long

When PATH has a child "leases", those below it and below "locks" are listed as the semaphore that they are in
Curator's layout: each lease with one permit, as held; then the clients that wait in line to make theirs, without token
and PERMITS. No node says how many leases there may be. The first client in line waits with its lease already, and is
shown once: by that lease, as waiting.

Of an empty queue a line on stderr says so; stdout stays empty.)";

const char* const description_of_watch =
    R"(Shows the first in the queue of a lock, how many clients hold it and wait, and how many were granted in
the last minute, until a signal ends it. It changes nothing.

On a terminal the screen is drawn anew at each change, and each second:
  STATE, KIND, HOST, PID, LABEL  as zklock ls has them, with the permits of a semaphore behind KIND
  AGE  of the contender: from when it was created, by its machine's clock. "-" where that is not known
  NODE  the name of its node below PATH
As many as fit are shown, and then how many more there are. At the end the terminal shows what it has shown before. A log (see --verbose) is not written across it: only where stderr
goes elsewhere.

Elsewhere, or where TERM is not set, or "dumb", each change is a line, with the first holder and the time. One line may stand
for several changes.

Grants are those that were seen: who came and went between two looks is not counted, nor are those of local hand-over; who
waited and is gone from in front of the holder counts as granted.

While no server is in reach it says so, shows what was so before, and goes on when one is there again.

What the servers are asked, pings aside: at most four requests in any second, however much happens. One list of the children after a change, at most
one a second (of a semaphore in Curator's layout: of each of its three); then each node that has come among those that are shown, once.
The other nodes are counted, and not read: a queue of 10,000 costs one list of 10,000 names for each second with a change. A
quiet lock costs nothing.)";

const char* const exit_statuses_of_watch = R"(A signal ends it, which the shell shows as 130 for SIGINT. Else one of
  64  bad usage: an option, PATH, the server list, or the file of --auth-file
  69  ZooKeeper not in reach at the start, or an error from it: an access list may hide the queue
  70  the command itself could not do its work (no memory, stdout closed ...))";

const char* const examples_of_watch = R"(  zklock watch /locks/nightly
  zklock watch /locks/nightly >> nightly.log
  zklock watch --json /locks/nightly | jq -r 'select(.waiters > 100) | .time')";

const char* const description_of_doctor =
    R"(Reads all locks at the PATHs and below them, twice, and prints what is wrong, with what would
mend it. It changes nothing.

Problems: clients wait for ever, or do not exclude each other:
  deadlock  clients wait for each other's locks. All of it stood at one time between the two passes, so it cannot end from
    within, but by a wait with a time limit, a hold with a bound, or another thread that gives back an owner's grant. Clients
    of other libraries, of Curator's layout and with local hand-over are in none, since their nodes do not say whose they are
  persistent-contender  a node that is no client's stands in the queue, and no end of a session removes it
  mixed-kinds  contenders of several recipes at one path
  mixed-layouts  contenders in the native layout and in Curator's at one path
  latch-beside-lock  candidates with the names of Curator's LeaderLatch beside those of a mutex or LeaderSelector
  counter-near-end  ZooKeeper's numbers for the path are nearly used up

Notes: perhaps:
  deadlock  if two sessions with one host and process number are one process's
  process-gone  the process of a client on this host is not there (it may be in a container)
  too-many-permits  a client waits for more permits than the semaphore has, and is refused when its turn comes
  anyone-may-remove  the contenders' access lists keep others from writing, that of the node above lets anyone remove them
  hidden-contender  an access list hides a contender's data, so that nobody else sees who it is
  stranger  children of a lock that are no contender of a recipe known here

Below them is a line that counts the locks whose contenders anyone may remove, one that counts those whose only contender's
node stays between its holds while no other client comes (lock_options::keep), and one for each server with its version (by
srvr, over plain TCP), and how many known faults of that version matter to locks.)";

const char* const description_of_evict =
    R"(Shows whose NODE is, asks, and removes it, unless it was written to, or has become the holder,
since it was shown. It removes no node but a contender's of a lock.

Of a holder: the next one gets the lock at once. The evicted one is told by its watch, or finds out when it asks, and works
on until then, so both may run for a moment: only a store that compares fencing tokens refuses it. A zklock run or elect ends
its COMMAND when it is told. Where that is an end of a process that is there no more, nothing is lost.

Of a waiter: it loses its place. A waiter of zklock queues again, at the end.)";

const char* const description_of_revoke =
    R"(Asks the holder whose NODE is to let go of its lock, and does not wait until it does. What
happens then is the holder's own affair:
  zklock run  sends COMMAND the signal of --on-revoke; without it COMMAND goes on
  a program with the library  is told by grant::revocation_requested()
  a Java program with Curator  is told by the listener of makeRevocable(), if it has one

A holder is told within a twelfth of its session timeout from its grant on, and later at once. zklock ls --json says who
was asked.

In zklock's own layout the node's data get the line revoke=1. In Curator's they become __REVOKE__, as by Curator's Revoker.
A leader is left alone: the mark would take the place of its address. zklock evict ends its lead.)";

const char* const exit_statuses_of_evict = R"(One of
  0  evicted
  1  left alone: there is no such node, it is no contender, it has changed, or the answer was no
  64  bad usage: an option, NODE, the server list, or the file of --auth-file; no terminal, and no --yes
  69  ZooKeeper not in reach in time, or an error from it: an access list may forbid it
  70  the command itself could not do its work (no memory ...))";

const char* const exit_statuses_of_revoke = R"(One of
  0  asked, or it was asked before
  1  left alone: there is no such node, it holds nothing, it is a leader's, or --replace-data is needed
  64  bad usage: an option, NODE, the server list, or the file of --auth-file
  69  ZooKeeper not in reach in time, or an error from it: an access list may forbid it
  70  the command itself could not do its work (no memory ...))";

const char* const examples_of_revoke = R"(  zklock ls -l /locks/nightly
  zklock revoke /locks/nightly/0fd3a1b87e5c4429a6d0c2f81b93e7a1-lock-0000000017)";

const char* const examples_of_evict = R"(  zklock ls -l /locks/nightly
  zklock evict /locks/nightly/0fd3a1b87e5c4429a6d0c2f81b93e7a1-lock-0000000017)";

const char* const exit_statuses_of_doctor = R"(One of
  0  no problem; there may be notes
  1  a problem
  2  no problem in what could be read, but an access list hides a part: it is named on stderr
  64  bad usage: an option, PATH, a duration, the server list, or the file of --auth-file
  69  ZooKeeper not in reach in time (see --timeout), or an error from it; more than 250000 nodes
  70  the command itself could not do its work (no memory, stdout closed ...))";

const char* const examples_of_doctor = R"(  zklock doctor /locks
  zklock doctor --json / | jq -r '.findings[] | select(.kind == "deadlock") | .text')";

const char* const exit_statuses_of_ls = R"(One of
  0  listed; the queue may be empty
  64  bad usage: an option, PATH, a duration, the server list, or the file of --auth-file
  69  ZooKeeper not in reach in time (see --timeout), or an error from it. With --recursive also: a node could not be
    read; all others are listed
  70  the command itself could not do its work (no memory, stdout closed ...))";

const char* const examples_of_ls = R"(  zklock ls /locks/nightly
  zklock ls --json /locks/nightly | jq -r '.[] | select(.state == "held") | .host'
  zklock ls --recursive /locks)";

}  // namespace zklock::cli::help_text
