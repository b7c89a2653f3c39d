#pragma once

#include <zookeeper/zookeeper.h>

#include <string>

namespace raw {

/// A contender's path without its number; the name is as long as Curator's.
std::string new_contender_prefix(const std::string& lock);

/// The name of the contender right before `own` in a list; empty when `own` is the first. `own` is a full path.
std::string predecessor(const String_vector& names, const std::string& own);

}  // namespace raw
