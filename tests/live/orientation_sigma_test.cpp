// `sigma` of an orientation: its x, y and z are turns about three axes, its w has no noise of its own.
#include <catch2/catch.hpp>

#include "collected.hpp"
#include "sparsedyn/live/live_change.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;
using Catch::Contains;

TEST_CASE("sigma of a camera changes its place and turns, and leaves out the w of its quaternion") {
  HandsOn camera({});
  for (const char* component : {"x", "y", "z", "qx", "qy", "qz", "qw"})
    camera.add(std::string("y.camera.") + component, "camera");
  std::string why;
  const auto changed = [&](const std::string& line) {
    std::vector<int> found;
    for (const LiveChange& change : read_live_changes(line, camera, why)) found.push_back(change.reading);
    return found;
  };
  CHECK(changed("sigma camera 0.02") == std::vector<int>{0, 1, 2, 3, 4, 5});
  CHECK(changed("sigma y.camera.qz 0.02") == std::vector<int>{5});
  CHECK(why.empty());
  CHECK(changed("sigma y.camera.qw 0.02").empty());
  CHECK_THAT(why, Contains("sigma of y.camera.qw, the w of an orientation; expected its sensor, or its x, y or z"));
}
