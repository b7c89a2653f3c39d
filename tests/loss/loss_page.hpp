#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tests/loss/findings.hpp"
#include "tests/loss/way_to_lose.hpp"

namespace zklock::test {

/// All runs of one way.
struct played {
  const way_to_lose* way = nullptr;
  std::vector<findings> runs;
};

/// The tables of docs/design/loss.md, in Markdown.
[[nodiscard]] std::string tables_of(const std::vector<played>& all);

/// Puts them between the page's markers. Throws std::runtime_error when it has none.
void write_into_page(const std::filesystem::path& page, const std::string& tables);

}  // namespace zklock::test
