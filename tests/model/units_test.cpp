// Units of columns, by what their names say.
#include "model/names/units.hpp"

#include <catch2/catch.hpp>

#include "support/robots.hpp"

using namespace sparsedyn;

TEST_CASE("positions, velocities, accelerations and forces have the units of their joints") {
  test::TreeOptions options;
  options.floating = true;
  options.kinds = {JointKind::revolute, JointKind::prismatic, JointKind::planar, JointKind::spherical};
  const Model model = test::random_tree(12, 3, options);
  const std::vector<std::string> q = coordinate_names(model), v = velocity_names(model);
  for (const std::string& name : q) {
    const std::string end = name.substr(std::min(name.rfind('.'), name.size()));
    const bool bare = end.empty(), length = end == ".x" || end == ".y" || end == ".z";
    INFO(name);
    if (bare)
      CHECK(unit_of(model, "q." + name) == (unit_of(model, "tau." + name) == "N" ? "m" : "rad"));
    else
      CHECK(unit_of(model, "q." + name) == (length ? "m" : end == ".angle" ? "rad" : ""));
  }
  for (const std::string& name : v) {
    INFO(name);
    const std::string rate = unit_of(model, "dq." + name);
    CHECK((rate == "rad/s" || rate == "m/s"));
    CHECK(unit_of(model, "ddq." + name) == rate + "²");
  }
  CHECK(unit_of(model, "dq.base.wx") == "rad/s");
  CHECK(unit_of(model, "dq.base.vz") == "m/s");
  CHECK(unit_of(model, "q.base.qw").empty());
  CHECK(unit_of(model, "q.nobody").empty());
}
