// Joint physics.
#include "robots.hpp"
#include "sparsedyn/json/files.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sparsedyn;
  return fuzz::attempt("joints.json", [&] {
    Model model = fuzz::small_robot();
    parse_joint_physics(fuzz::as_text(data, size), "joints.json", model);
    fuzz::require_use(model);
  });
}
