// Robot files (JSON).
#include "robots.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sparsedyn;
  return fuzz::attempt("robot.json", [&] { fuzz::require_use(parse_robot(fuzz::as_text(data, size), "robot.json").model); });
}
