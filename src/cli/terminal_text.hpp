#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace zklock::cli {

/// The characters that the user's terminal shows one after the other, as LC_ALL, LC_CTYPE and LANG have it: ASCII, and
/// in a UTF-8 locale whatever that locale calls printable. Never those that move what stands around them: controls,
/// letters of scripts that run from right to left and marks that change the direction, characters without a width. Nor
/// blanks, but for the space.
class terminal_characters {
 public:
  /// "": the environment's locale. One that does not exist is ASCII.
  explicit terminal_characters(const char* locale_name = "");
  terminal_characters(const terminal_characters&) = delete;
  terminal_characters& operator=(const terminal_characters&) = delete;
  ~terminal_characters();

  /// How many columns it takes; 0: it is not to be shown.
  [[nodiscard]] std::size_t columns_of(char32_t character) const;

 private:
  void* utf8_locale_ = nullptr;  ///< a locale_t; null: ASCII alone
};

/// A text that takes this many columns of a terminal.
struct terminal_text {
  std::string text;
  std::size_t columns = 0;
};

/// Bytes that any client may have written, as one harmless piece of a line: what is not to be shown as it is becomes
/// \xNN, byte by byte. What would take more than `columns_max` columns is cut, and ends in "...".
[[nodiscard]] terminal_text shown(std::string_view bytes, const terminal_characters& characters,
                                  std::size_t columns_max);

/// The same between quotation marks, so that the text cannot be taken for what stands beside it; quotation marks and
/// backslashes in it get a backslash. The columns are those of the text between them.
[[nodiscard]] terminal_text quoted(std::string_view bytes, const terminal_characters& characters,
                                   std::size_t columns_max);

}  // namespace zklock::cli
