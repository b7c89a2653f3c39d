#include <zklock/zklock.hpp>
