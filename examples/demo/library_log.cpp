#include "examples/demo/library_log.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace demo {

void silence_the_library() { spdlog::stderr_logger_mt("zklock")->set_level(spdlog::level::off); }

}  // namespace demo
