#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace zklock::test_support {

/// Rewrites the create counter (StatPersisted.cversion) of one node in the newest snapshot of a stopped server, and the
/// snapshot's checksums: the only way to a counter near its end that takes less than 2^31 creates. The path must occur
/// once in the snapshot. Throws std::runtime_error.
void set_create_counter(const std::filesystem::path& data_directory, std::string_view path, std::int32_t counter);

}  // namespace zklock::test_support
