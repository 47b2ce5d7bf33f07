// What sensor sets determine: parts by pattern, ranks by numbers, advice; and a humanoid on two feet.
#include "sparsedyn/determinacy/determinacy.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "model/samples.hpp"
#include "sparse/dulmage_mendelsohn.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/robots.hpp"

using namespace sparsedyn;

namespace {

const Model& humanoid() {
  static const Model model = [] {
    LoadOptions options;
    options.floating = true;
    return load_urdf(test::source_folder() + "/robots/humanoid.urdf", options);
  }();
  return model;
}

/// Standing on both soles, accelerations known, no wrench elsewhere; `more` are the sensors beside.
System standing(const std::string& more) {
  return System(humanoid(), parse_sensor_set(R"({"sensors": [
    {"name": "ddq", "type": "joint_acceleration", "joint": "*"},
    {"name": "base", "type": "joint_acceleration", "joint": "base"},
    {"name": "free", "type": "joint_torque", "joint": "base", "value": 0},
    {"name": "air", "type": "external_wrench", "link": "*", "except": ["l_sole", "r_sole"], "value": 0})" +
                                                 more + R"(], "unknown": ["fx.l_sole", "fx.r_sole"]})",
                                             "standing.json"));
}

const std::string cells = R"(, {"name": "cells", "type": "load_cell", "link": ["l_sole", "r_sole"]})";

std::string wrench(const std::string& name, const std::string& links, const std::string& components) {
  return R"(, {"name": ")" + name + R"(", "type": "external_wrench", "link": )" + links + R"(, "value": 0, "components": )" +
         components + "}";
}

/// Unknowns less rank: at 20 random states (all alike), and with all joints at zero on level ground.
struct Deficiency {
  int general, flat;
};
Deficiency deficiency(const System& system) {
  std::mt19937 rng(7);
  const int unknowns = static_cast<int>(system.unknowns().size());
  const int general = unknowns - rank_at(system, normal_sample(system.model(), rng));
  for (int k = 0; k < 20; ++k) CHECK(unknowns - rank_at(system, normal_sample(system.model(), rng)) == general);
  std::vector<double> flat(system.model().nq, 0.0);
  flat[6] = 1.0;  // the base's quaternion
  return {general, unknowns - rank_at(system, flat)};
}

std::vector<std::string> names(const System& system, const std::vector<int>& unknowns) {
  std::vector<std::string> out;
  for (int x : unknowns) out.push_back(system.unknown_names()[x]);
  return out;
}
bool holds(const std::vector<std::string>& all, const std::string& name) {
  return std::find(all.begin(), all.end(), name) != all.end();
}

}  // namespace

TEST_CASE("two feet on 3 + 3 load cells: structurally sound, singular everywhere") {
  const System system = standing(cells);
  REQUIRE(system.pattern().rows == system.pattern().columns);
  CHECK(dulmage_mendelsohn(system.pattern()).rank == system.pattern().columns);
  const Deficiency d = deficiency(system);
  CHECK(d.general == 1);
  CHECK(d.flat == 3);  // the cells' planes coincide

  const Determinacy found = determinacy(system);
  CHECK(found.verdict() == Verdict::insufficient);
  CHECK(found.structural_rank == found.unknowns);
  CHECK(found.rank == found.unknowns - 1);
  const auto open = names(system, found.undetermined);
  CHECK(holds(open, "fx.l_sole.fx"));
  CHECK(holds(open, "fx.r_sole.fx"));
  CHECK(holds(open, "tau.l_knee"));
  CHECK_FALSE(holds(open, "tau.l_elbow"));
  CHECK_FALSE(holds(open, "ddq.l_knee"));
  REQUIRE_FALSE(found.advice.empty());
  CHECK(found.advice[0].type == "joint_torque");  // one number does it
  CHECK(found.advice[0].removes == 1);
  for (const SensorAdvice& sensor : found.advice) {
    INFO(sensor.type << " " << sensor.target);
    CHECK(sensor.type != "load_cell");  // a second cell in place of the first sees no more
    CHECK(sensor.type != "accelerometer");
  }
}

TEST_CASE("two feet: which additional sensors determine the wrenches and which do not") {
  const auto torque = deficiency(standing(cells + R"(, {"name": "knee", "type": "joint_torque", "joint": "l_knee"})"));
  CHECK(torque.general == 0);
  const auto shear = deficiency(standing(cells + wrench("shear", R"("l_sole")", R"(["fx", "fy"])")));
  CHECK(shear.general == 0);
  CHECK(shear.flat == 1);  // ± n_z on the feet is still open where the planes coincide
}

TEST_CASE("two feet on very slippery ground: solvable where the normals are not parallel") {
  const std::string soles = R"(["l_sole", "r_sole"])";
  const auto slippery = deficiency(standing(cells + wrench("slip", soles, R"(["fx", "fy"])")));
  CHECK(slippery.general == 0);
  CHECK(slippery.flat == 1);
  const System no_twist = standing(cells + wrench("slip", soles, R"(["fx", "fy", "nz"])"));
  CHECK(deficiency(no_twist).general == 0);
  CHECK(deficiency(no_twist).flat == 0);
  // all wrenches known, accelerations of the base exact: the exact rows say it twice
  const Determinacy found = determinacy(no_twist);
  CHECK(found.verdict() == Verdict::redundant);
  CHECK(found.redundant_rows() == 6);
  CHECK_FALSE(found.redundant_exact.empty());
}

TEST_CASE("one foot on three load cells is determined and redundant") {
  const System system = standing(R"(, {"name": "cells", "type": "load_cell", "link": "l_sole"})" +
                                 wrench("lifted", R"("r_sole")", R"(["nx", "ny", "nz", "fx", "fy", "fz"])"));
  CHECK(deficiency(system).general == 0);
  CHECK(determinacy(system).redundant_rows() == 3);
}

TEST_CASE("the forward dynamics of a long chain are determined") {
  const System system(test::random_tree(90, 4, {false, false, 0.0, {JointKind::revolute}}),
                      load_sensor_set("forward-dynamics"));
  CHECK(determinacy(system, 1).verdict() == Verdict::determined);
}

TEST_CASE("what a sensor states is determined though nothing else is") {
  const Model arm = load_urdf(test::source_folder() + "/robots/arm.urdf");
  for (const char* axis : {"x", "y", "z"}) {
    const System system(arm, parse_sensor_set(R"({"sensors": [{"name": "motors", "type": "joint_torque", "joint": "*"},
      {"name": "com", "type": "com_acceleration", "sigma": 1, "components": [")" +
                                                  std::string(axis) + R"("]}]})",
                                              "torques.json"));
    for (int x : determinacy(system, 20).undetermined) CHECK(system.unknowns()[x].kind != VariableKind::tau);
  }
}

TEST_CASE("redundant noisy rows are accepted, redundant exact rows refused") {
  const System system = standing(R"(, {"name": "soles", "type": "external_wrench", "link": ["l_sole", "r_sole"], "sigma": 1})");
  const Determinacy found = determinacy(system);
  CHECK(found.verdict() == Verdict::redundant);
  CHECK(found.redundant_exact.empty());
  const RankOverStates ranks = rank_over_states(system, 3, 3);
  CHECK(ranks.ranks.size() == 10);
  CHECK(ranks.worst == found.unknowns);
}

TEST_CASE("singular configurations are found among the special states") {
  const RankOverStates ranks = rank_over_states(standing(cells), 3, 3);
  CHECK(ranks.best - ranks.worst >= 2);
  CHECK(ranks.zero_below);
  CHECK(ranks.random_below == 0);
}

TEST_CASE("pairs of sensors are advised where no single sensor suffices") {
  // seven independent joints, and nothing known of their motion: the momentum's six numbers and one more
  std::mt19937 rng(1);
  ModelBuilder builder("sea star");
  builder.root("root", test::random_inertia(rng), false);
  for (int k = 1; k <= 7; ++k) {
    JointSpec arm;
    arm.kind = JointKind::revolute;
    arm.axis = test::random_vector(rng);
    builder.link("arm" + std::to_string(k), test::random_inertia(rng), "root", "joint" + std::to_string(k), arm,
                 test::random_pose(rng));
  }
  const System system(builder.build(), parse_sensor_set(R"({"sensors": [
    {"name": "air", "type": "external_wrench", "link": "*", "value": 0}]})",
                                                        "star.json"));
  const Determinacy found = determinacy(system);
  CHECK(found.unknowns - found.rank == 7);
  CHECK(found.advice[0].type == "momentum_rate");
  CHECK(found.advice[0].removes == 6);
  REQUIRE(found.pairs.size() == 10);
  for (const PairAdvice& pair : found.pairs) CHECK(pair.first.type == "momentum_rate");
  CHECK(found.pairs[0].second.numbers == 1);
}

TEST_CASE("the parts of a pattern with too few rows and with too many rows are found") {
  // row 0: columns 0, 1; rows 1 and 2: column 2; rows 3, 4: columns 3, 4
  const Pattern pattern{5, 5, {0, 2, 3, 4, 6, 8}, {0, 1, 2, 2, 3, 4, 3, 4}};
  const StructuralParts parts = dulmage_mendelsohn(pattern);
  CHECK(parts.rank == 4);
  CHECK(parts.underdetermined == std::vector<int>{0, 1});
  CHECK(parts.overdetermined == std::vector<int>{1, 2});
}
