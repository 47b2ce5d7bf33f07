// URDF: any bytes as a robot.
#include "robots.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sparsedyn;
  return fuzz::attempt("robot.urdf", [&] {
    LoadOptions options;
    options.floating = size % 2 == 1;
    fuzz::require_use(parse_urdf(fuzz::as_text(data, size), "robot.urdf", options));
  });
}
