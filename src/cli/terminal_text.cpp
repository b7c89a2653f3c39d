#include "src/cli/terminal_text.hpp"

#include <langinfo.h>
#include <locale.h>  // NOLINT(modernize-deprecated-headers): newlocale() is POSIX's
#include <wchar.h>   // NOLINT(modernize-deprecated-headers): wcwidth() too

#include <algorithm>
#include <array>
#include <cstdint>
#include <cwctype>
#include <optional>
#include <string>

namespace zklock::cli {
namespace {

constexpr std::string_view cut_mark = "...";

struct range {
  char32_t first, last;
};
/// Printable, says the locale, and yet they change how what stands beside them is shown, look like the space between
/// two columns, or are no characters at all.
constexpr std::array<range, 26> meddlers{
    {{0x00A0, 0x00A0},                                          // a blank
     {0x00AD, 0x00AD},   {0x034F, 0x034F},   {0x0590, 0x08FF},  // from right to left: Hebrew to Arabic
     {0x115F, 0x1160},                                          // blanks: fillers
     {0x1680, 0x1680},                                          // a blank
     {0x17B4, 0x17B5},   {0x180B, 0x180F},   {0x2000, 0x200F},  // blanks, marks
     {0x2028, 0x202F},                                          // marks, a blank
     {0x205F, 0x206F},                                          // a blank, marks
     {0x2800, 0x2800},                                          // a blank: Braille without a dot
     {0x3000, 0x3000},                                          // a blank
     {0x3164, 0x3164},                                          // a blank: a filler
     {0xD800, 0xF8FF},                                          // surrogates, private use
     {0xFB1D, 0xFDFF},                                          // from right to left: Hebrew and Arabic forms
     {0xFE00, 0xFE0F},   {0xFE70, 0xFEFF},                      // from right to left: Arabic forms; a mark
     {0xFFA0, 0xFFA0},                                          // a blank: a filler
     {0xFFF0, 0xFFFF},   {0x10800, 0x10FFF},                    // from right to left
     {0x1BCA0, 0x1BCA3}, {0x1D159, 0x1D159},                    // a blank: a note without a head
     {0x1D173, 0x1D17A}, {0x1E800, 0x1EFFF},                    // from right to left
     {0xE0000, 0x10FFFF}}};

bool meddles(char32_t character) {
  return std::any_of(meddlers.begin(), meddlers.end(),
                     [character](const range& one) { return character >= one.first && character <= one.last; });
}

struct decoded {
  char32_t character;
  std::size_t bytes;
};

/// The first character of UTF-8. Nothing if it is none, or not in its shortest form.
std::optional<decoded> first_of(std::string_view text) {
  const auto byte = [text](std::size_t place) { return static_cast<std::uint8_t>(text[place]); };
  const std::uint8_t lead = byte(0);
  const std::size_t size = lead < 0x80 ? 1 : (lead >> 5) == 6 ? 2 : (lead >> 4) == 14 ? 3 : (lead >> 3) == 30 ? 4 : 0;
  if (size == 0 || text.size() < size) {
    return std::nullopt;
  }
  char32_t character = size == 1 ? lead : lead & (0xFFU >> (size + 1));
  for (std::size_t place = 1; place < size; ++place) {
    if ((byte(place) >> 6) != 2) {
      return std::nullopt;
    }
    character = (character << 6) | (byte(place) & 0x3FU);
  }
  constexpr std::array<char32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
  if (character < least[size] || character > 0x10FFFF) {
    return std::nullopt;
  }
  return decoded{character, size};
}

std::string as_hex(char byte) {
  constexpr std::string_view digits = "0123456789abcdef";
  const auto value = static_cast<std::uint8_t>(byte);
  return {'\\', 'x', digits[value >> 4], digits[value & 0xF]};
}

/// The next piece that is shown or cut as a whole.
struct piece {
  std::string text;
  std::size_t columns;
  std::size_t bytes;
};

piece next_piece(std::string_view rest, const terminal_characters& characters, std::string_view to_be_marked) {
  const auto first = first_of(rest);
  const std::size_t width = first ? characters.columns_of(first->character) : 0;
  if (width == 0) {
    return {as_hex(rest.front()), 4, 1};  // of an unwanted character the other bytes follow: alone they are none
  }
  std::string text(rest.substr(0, first->bytes));
  if (to_be_marked.find(text) != std::string_view::npos) {
    text.insert(0, "\\");
    return {std::move(text), width + 1, first->bytes};
  }
  return {std::move(text), width, first->bytes};
}

terminal_text cut_to_fit(std::string_view bytes, const terminal_characters& characters, std::size_t columns_max,
                         std::string_view to_be_marked) {
  terminal_text result;
  terminal_text with_cut{std::string(cut_mark), cut_mark.size()};  // what it is if the next piece does not fit
  while (!bytes.empty()) {
    const piece next = next_piece(bytes, characters, to_be_marked);
    if (result.columns + next.columns > columns_max) {
      return with_cut;
    }
    result.text += next.text;
    result.columns += next.columns;
    bytes.remove_prefix(next.bytes);
    if (result.columns + cut_mark.size() <= columns_max) {
      with_cut = {result.text + std::string(cut_mark), result.columns + cut_mark.size()};
    }
  }
  return result;
}

}  // namespace

terminal_characters::terminal_characters(const char* locale_name) {
  const locale_t made = newlocale(LC_CTYPE_MASK, locale_name, nullptr);
  if (made == nullptr) {
    return;
  }
  if (std::string_view(nl_langinfo_l(CODESET, made)) == "UTF-8") {
    utf8_locale_ = made;
  } else {
    freelocale(made);
  }
}

terminal_characters::~terminal_characters() {
  if (utf8_locale_ != nullptr) {
    freelocale(static_cast<locale_t>(utf8_locale_));
  }
}

std::size_t terminal_characters::columns_of(char32_t character) const {
  if (character < 0x80) {
    return character >= 0x20 && character != 0x7F ? 1 : 0;
  }
  if (utf8_locale_ == nullptr || meddles(character)) {
    return 0;
  }
  const auto ours = static_cast<locale_t>(utf8_locale_);
  if (iswprint_l(static_cast<wint_t>(character), ours) == 0) {
    return 0;
  }
  const locale_t before = uselocale(ours);  // wcwidth() knows no other way; of this thread alone
  const int columns = wcwidth(static_cast<wchar_t>(character));
  uselocale(before);
  return columns > 0 ? static_cast<std::size_t>(columns) : 0;
}

terminal_text shown(std::string_view bytes, const terminal_characters& characters, std::size_t columns_max) {
  return cut_to_fit(bytes, characters, columns_max, "");
}

terminal_text quoted(std::string_view bytes, const terminal_characters& characters, std::size_t columns_max) {
  terminal_text result = cut_to_fit(bytes, characters, columns_max, "\"\\");
  result.text = "\"" + result.text + "\"";
  return result;
}

}  // namespace zklock::cli
