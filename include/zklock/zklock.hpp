#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

/// Includes three headers of the standard library, and all public headers except <zklock/adopt.hpp> and
/// <zklock/testing/fake_ensemble.hpp>.
#include <chrono>
#include <mutex>
#include <shared_mutex>

#include <zklock/acquire.hpp>
#include <zklock/async.hpp>
#include <zklock/clock.hpp>
#include <zklock/contract.hpp>
#include <zklock/election.hpp>
#include <zklock/error.hpp>
#include <zklock/exit_on_loss.hpp>
#include <zklock/fencing_token.hpp>
#include <zklock/grant.hpp>
#include <zklock/held_lock.hpp>
#include <zklock/lock_event.hpp>
#include <zklock/lockable.hpp>
#include <zklock/log.hpp>
#include <zklock/loss.hpp>
#include <zklock/multi_lock.hpp>
#include <zklock/mutex.hpp>
#include <zklock/node.hpp>
#include <zklock/options.hpp>
#include <zklock/owner.hpp>
#include <zklock/participants.hpp>
#include <zklock/prometheus.hpp>
#include <zklock/queue.hpp>
#include <zklock/semaphore.hpp>
#include <zklock/semaphore_mutex.hpp>
#include <zklock/session.hpp>
#include <zklock/session_state.hpp>
#include <zklock/shared_mutex.hpp>
#include <zklock/statistics.hpp>
#include <zklock/thread_annotations.hpp>
#include <zklock/transaction.hpp>
#include <zklock/version.hpp>
#include <zklock/view.hpp>
#include <zklock/watched_value.hpp>
#include <zklock/with_lock.hpp>
