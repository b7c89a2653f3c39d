#pragma once

#include <span>
#include <string_view>

/// What --help and the manual pages say. --help has the short texts, and fits a screen; the manual has all of it.
namespace zklock::cli::help_text {

struct option_text {
  const char* names;    ///< as CLI11 takes them: "-v,--verbose"; of a positional "PATH"
  const char* value;    ///< "DURATION"; empty: it takes none
  const char* brief;    ///< one line of --help
  const char* details;  ///< behind it in the manual
};

[[nodiscard]] std::span<const option_text> options_of_all() noexcept;
[[nodiscard]] std::span<const option_text> options_of_run() noexcept;
[[nodiscard]] std::span<const option_text> options_of_ls() noexcept;
[[nodiscard]] std::span<const option_text> options_of_watch() noexcept;
[[nodiscard]] std::span<const option_text> options_of_doctor() noexcept;
[[nodiscard]] std::span<const option_text> options_of_evict() noexcept;
[[nodiscard]] std::span<const option_text> options_of_revoke() noexcept;
[[nodiscard]] std::span<const option_text> options_of_elect() noexcept;

extern const char* const about;
extern const char* const about_run;
extern const char* const about_ls;
extern const char* const about_watch;
extern const char* const about_doctor;
extern const char* const about_evict;
extern const char* const about_revoke;
extern const char* const about_elect;
extern const char* const footer;      ///< of `zklock --help`
extern const char* const footer_run;  ///< of `zklock run --help`
extern const char* const footer_ls;
extern const char* const footer_watch;
extern const char* const footer_doctor;
extern const char* const footer_evict;
extern const char* const footer_revoke;
extern const char* const footer_elect;

// ---- of the manual alone
extern const char* const description;
extern const char* const description_of_run;
extern const char* const environment_of_run;
extern const char* const signals_of_run;
extern const char* const environment_of_elect;
extern const char* const signals_of_elect;
extern const char* const description_of_ls;
extern const char* const description_of_watch;
extern const char* const description_of_doctor;
extern const char* const description_of_evict;
extern const char* const description_of_revoke;
extern const char* const description_of_elect;
extern const char* const exit_statuses_of_run;
extern const char* const exit_statuses_of_ls;
extern const char* const exit_statuses_of_watch;
extern const char* const exit_statuses_of_doctor;
extern const char* const exit_statuses_of_evict;
extern const char* const exit_statuses_of_revoke;
extern const char* const exit_statuses_of_elect;
extern const char* const examples_of_run;
extern const char* const examples_of_ls;
extern const char* const examples_of_watch;
extern const char* const examples_of_doctor;
extern const char* const examples_of_evict;
extern const char* const examples_of_revoke;
extern const char* const examples_of_elect;

}  // namespace zklock::cli::help_text
