// Which wrenches are unknowns, which are inputs, and the columns that they read.
#include <catch2/catch.hpp>

#include "dense.hpp"
#include "sparsedyn/io/input_error.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

/// root (floating or fixed) – arm on a joint – pad welded to the arm, foot welded to the pad.
Model footed(bool floating = false) {
  std::mt19937 rng(3);
  JointSpec hinge;
  hinge.kind = JointKind::revolute;
  return ModelBuilder("footed")
      .root("root", random_inertia(rng), floating)
      .link("arm", random_inertia(rng), "root", "shoulder", hinge, random_pose(rng))
      .link("pad", random_inertia(rng), "arm", "weld", {}, random_pose(rng))
      .link("foot", random_inertia(rng), "pad", "glue", {}, random_pose(rng))
      .build();
}

System with(const Model& model, const std::vector<Sensor>& sensors, const std::vector<NameAt>& unknown = {}) {
  SensorSet set;
  set.sensors = sensors;
  set.unknown = unknown;
  return System(model, set);
}

std::vector<std::string> columns(const System& system) {
  std::vector<std::string> out;
  for (const Input& input : system.inputs()) out.push_back(input.columns.front());
  return out;
}

}  // namespace

TEST_CASE("`*` gives lumped links inputs and no unknowns: naming one gives it unknowns") {
  const Model model = footed();
  const System all = with(model, {sensor("external_wrench")});
  CHECK(all.fx_column(model.find_link("arm")) >= 0);
  CHECK(all.fx_column(model.find_link("pad")) == -1);
  CHECK(all.inputs().size() == 4 * 6);  // the root's enter f.world
  CHECK(all.known_wrenches().size() == 3);
  CHECK(all.inputs()[6].columns == std::vector<std::string>{"y.external_wrench.arm.nx", "fx.arm.nx"});
  CHECK_FALSE(all.inputs()[6].required);

  const System named = with(model, {sensor("external_wrench", {"pad"})});
  CHECK(named.fx_column(model.find_link("pad")) >= 0);
  CHECK(named.fx_column(model.find_link("foot")) == -1);
  CHECK(columns(named).front() == "y.external_wrench.nx");

  const System listed = with(model, {}, {{"fx.foot"}});
  CHECK(listed.fx_column(model.find_link("foot")) >= 0);
  CHECK(listed.unknown_names().back() == "fx.foot.fz");
  CHECK_THROWS_WITH(with(model, {}, {{"fx.fot"}}), Catch::Contains("near: fx.foot"));
  CHECK_THROWS_AS(with(model, {}, {{"fx.root"}}), InputError);
}

TEST_CASE("constants take no column: a frame of its own shuts out the stand-in: components are chosen") {
  const Model model = footed();
  Sensor constant = sensor("external_wrench", {"arm"});
  constant.value = {0, 0, 0, 0, 0, 5};
  const System fixed_value = with(model, {constant});
  CHECK(fixed_value.inputs().empty());
  State state;
  state.q = {0.3}, state.v = {0.1};
  const Dense d = dense(fixed_value, state, {});
  CHECK(d.b[d.b.size() - 1] == 5.0);

  Sensor framed = sensor("external_wrench", {"arm"}, "plate");
  framed.framed = true;
  framed.components = {"fz", "nx"};
  const System chosen = with(model, {framed});
  REQUIRE(chosen.inputs().size() == 2);
  CHECK(chosen.inputs()[0].columns == std::vector<std::string>{"y.plate.fz"});
  CHECK(chosen.inputs()[0].required);
  CHECK(chosen.equation_names().back() == "y.plate.nx");
}

TEST_CASE("joint sensors: columns by joint, component and stand-in") {
  const System one = with(footed(), {sensor("joint_torque", {"shoulder"}, "motor")});
  REQUIRE(one.inputs().size() == 1);
  CHECK(one.inputs()[0].columns == std::vector<std::string>{"y.motor", "tau.shoulder"});
  CHECK(one.inputs()[0].required);
  const System all = with(footed(true), {sensor("joint_acceleration", {}, "m"), sensor("joint_acceleration", {"base"}, "b")});
  REQUIRE(all.inputs().size() == 7);
  CHECK(all.inputs()[0].columns == std::vector<std::string>{"y.m.shoulder", "ddq.shoulder"});
  CHECK(all.inputs()[1].columns == std::vector<std::string>{"y.b.wx", "ddq.base.wx"});
}

TEST_CASE("bodies between the axes of one joint have names of their own") {
  std::mt19937 rng(1);
  JointSpec cardan;
  cardan.kind = JointKind::universal;
  const Model model = ModelBuilder("cardan")
                          .root("root", random_inertia(rng), false)
                          .link("tool", random_inertia(rng), "root", "cross", cardan, random_pose(rng))
                          .build();
  const System system = with(model, {sensor("joint_torque"), sensor("external_wrench", {"tool"})});
  CHECK(column_of(system, "acc.cross.1.wx") == 0);
  CHECK(column_of(system, "f.cross.1.nx") == 6);
  CHECK(column_of(system, "tau.cross.1") == 12);
  CHECK(column_of(system, "f.cross.fz") > column_of(system, "acc.tool.wx"));
  CHECK(system.inputs()[1].columns == std::vector<std::string>{"y.joint_torque.cross.2", "tau.cross.2"});
  CHECK(system.pattern().rows == system.pattern().columns);
}
