#pragma once

/// What --help says beside the list of options.
namespace zklock::cli::help_text {

extern const char* const about;
extern const char* const about_run;
extern const char* const about_ls;
extern const char* const details_of_run;
extern const char* const details_of_ls;
extern const char* const exit_statuses;
extern const char* const examples;

}  // namespace zklock::cli::help_text
