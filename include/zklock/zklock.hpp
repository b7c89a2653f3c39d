#pragma once

/// Everything but the opt-in headers: <zklock/adopt.hpp>, <zklock/testing/fake_ensemble.hpp>.
#include <zklock/acquire.hpp>
#include <zklock/clock.hpp>
#include <zklock/contract.hpp>
#include <zklock/error.hpp>
#include <zklock/grant.hpp>
#include <zklock/loss.hpp>
#include <zklock/mutex.hpp>
#include <zklock/options.hpp>
#include <zklock/queue.hpp>
#include <zklock/session.hpp>
#include <zklock/transaction.hpp>
