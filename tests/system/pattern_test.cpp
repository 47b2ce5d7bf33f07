// The worst-case pattern, by hand: what is zero at some states only is in it, what is zero at all of them is not.
#include <catch2/catch.hpp>

#include "dense.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

const Inertia<double> ball = inertia_about_com(2.0, {{0, 0, 0}}, {0.1, 0, 0, 0.2, 0, 0.3});

JointSpec turning(const Vec3<double>& axis, JointKind kind = JointKind::revolute) {
  JointSpec spec;
  spec.kind = kind;
  spec.axis = axis;
  return spec;
}

/// Two links in a row, the second placed by d against the first.
System pair(const JointSpec& second, const Vec3<double>& d, const Inertia<double>& inertia = ball) {
  const Model model = ModelBuilder("pair")
                          .root("root", ball, false)
                          .link("a", inertia, "root", "j1", turning({{0, 0, 1}}), identity_pose<double>())
                          .link("b", inertia, "a", "j2", second, {identity3<double>(), d})
                          .build();
  SensorSet set;
  set.sensors = {sensor("joint_acceleration"), sensor("external_wrench")};
  return System(model, set);
}

bool has(const System& system, const std::string& equation, const std::string& unknown) {
  const auto& equations = system.equation_names();
  const int r = static_cast<int>(std::find(equations.begin(), equations.end(), equation) - equations.begin());
  REQUIRE(r < system.pattern().rows);
  const auto first = system.pattern().column.begin();
  return std::binary_search(first + system.pattern().row_start[r], first + system.pattern().row_start[r + 1],
                            column_of(system, unknown));
}

/// Columns a (of kind acc.a or f.b) in the rows of b (kinematics) or a (wrench), as a 6 × 6 map of x and dots.
std::string map_of(const System& system, const std::string& rows, const std::string& columns, bool motion_rows,
                   bool motion_columns) {
  const std::vector<std::string> motion{"wx", "wy", "wz", "vx", "vy", "vz"}, force{"nx", "ny", "nz", "fx", "fy", "fz"};
  std::string map;
  for (const auto& r : motion_rows ? motion : force) {
    for (const auto& c : motion_columns ? motion : force) map += has(system, rows + "." + r, columns + "." + c) ? 'x' : '.';
    map += r == "vz" || r == "fz" ? "" : " ";
  }
  return map;
}

}  // namespace

TEST_CASE("the pattern of a joint about z without offset is two 2×2 rotations and two ones") {
  const System s = pair(turning({{0, 0, 1}}), {{0, 0, 0}});
  CHECK(map_of(s, "kinematics.b", "acc.a", true, true) == "xx.... xx.... ..x... ...xx. ...xx. .....x");
  CHECK(map_of(s, "wrench.a", "f.j2", false, false) == "xx.... xx.... ..x... ...xx. ...xx. .....x");
}

TEST_CASE("an offset along x adds the arm's entries, and no others") {
  const System s = pair(turning({{0, 0, 1}}), {{0.5, 0, 0}});
  // −Rᵀ [d]× with d = (0.5, 0, 0): rows vx, vy mix w_z through the turn, row vz takes w_y
  CHECK(map_of(s, "kinematics.b", "acc.a", true, true) == "xx.... xx.... ..x... ..xxx. ..xxx. .x...x");
  CHECK(map_of(s, "wrench.a", "f.j2", false, false) == "xx.... xx...x ..xxx. ...xx. ...xx. .....x");
}

TEST_CASE("a joint about y, in link coordinates") {
  const System s = pair(turning({{0, 1, 0}}), {{0, 0, 0}});
  CHECK(map_of(s, "kinematics.b", "acc.a", true, true) == "x.x... .x.... x.x... ...x.x ....x. ...x.x");
  CHECK(has(s, "torque.j2", "f.j2.ny"));
  CHECK_FALSE(has(s, "torque.j2", "f.j2.nz"));
}

TEST_CASE("a prismatic joint: the arm moves with q, though it is zero at q = 0") {
  const System s = pair(turning({{1, 0, 0}}, JointKind::prismatic), {{0, 0, 0}});
  CHECK(map_of(s, "kinematics.b", "acc.a", true, true) == "x..... .x.... ..x... ...x.. ..x.x. .x...x");
  CHECK(map_of(s, "wrench.a", "f.j2", false, false) == "x..... .x...x ..x.x. ...x.. ....x. .....x");
}

TEST_CASE("rotations that cancel leave no entries, although their product is zero only up to rounding") {
  const Mat3<double> R = rotation_from_rpy({{0.7, 0.2, -1.1}});
  const Model model = ModelBuilder("there and back")
                          .root("root", ball, false)
                          .link("a", ball, "root", "j1", turning({{0, 0, 1}}), identity_pose<double>())
                          .link("pad", ball, "a", "weld", {}, {R, {{0, 0, 0}}})
                          .link("b", ball, "pad", "j2", turning({{0, 0, 1}}), {transpose(R), {{0, 0, 0}}})
                          .build();
  SensorSet set;
  set.sensors = {sensor("joint_acceleration"), sensor("external_wrench")};
  const System s(model, set);
  CHECK(map_of(s, "kinematics.b", "acc.a", true, true) == "xx.... xx.... ..x... ...xx. ...xx. .....x");
}

TEST_CASE("an oblique axis is a column of its own numbers") {
  const System s = pair(turning({{-0.6, 0, 0.8}}), {{0, 0, 0}});
  CHECK(map_of(s, "kinematics.b", "acc.a", true, true) == "xxx... xxx... xxx... ...xxx ...xxx ...xxx");
  CHECK(has(s, "kinematics.b.wx", "ddq.j2"));
  CHECK_FALSE(has(s, "kinematics.b.wy", "ddq.j2"));
  CHECK(has(s, "kinematics.b.wz", "ddq.j2"));
}

TEST_CASE("inertias: a ball about its centre has no couplings, an offset has its own") {
  const System centred = pair(turning({{0, 0, 1}}), {{0, 0, 0}});
  CHECK(map_of(centred, "wrench.b", "acc.b", false, true) == "x..... .x.... ..x... ...x.. ....x. .....x");
  const System offset =
      pair(turning({{0, 0, 1}}), {{0, 0, 0}}, inertia_about_com(2.0, {{0, 0, 0.5}}, {0.1, 0, 0, 0.2, 0, 0.3}));
  CHECK(map_of(offset, "wrench.b", "acc.b", false, true) == "x...x. .x.x.. ..x... .x.x.. x...x. .....x");
}

TEST_CASE("at no state is an entry outside of the pattern nonzero, and every entry is nonzero at some state") {
  std::mt19937 rng(4);
  for (bool floating : {false, true})
    for (unsigned seed = 1; seed <= 5; ++seed) {
      TreeOptions options;
      options.floating = floating;
      options.kinds = {JointKind::revolute, JointKind::prismatic, JointKind::spherical, JointKind::planar};
      const Model model = random_tree(5, seed, options);
      SensorSet set;
      set.sensors = {sensor("joint_torque"), sensor("external_wrench")};
      const System system(model, set);
      const State s = random_state(model, rng);
      const std::vector<double> y(system.inputs().size(), 0.0);
      const Dense d = dense(system, s, y);
      const Pattern& p = system.pattern();
      for (int r = 0; r < p.rows; ++r)
        for (int k = p.row_start[r]; k < p.row_start[r + 1]; ++k) CHECK(std::abs(d.A(r, p.column[k])) > 1e-14);
    }
}

TEST_CASE("fingerprints follow structure, not numbers") {
  const std::string here = pair(turning({{0, 0, 1}}), {{0.5, 0, 0}}).fingerprint();
  CHECK(here.size() == 16);
  CHECK(here == pair(turning({{0, 0, 1}}), {{0.7, 0, 0}}).fingerprint());
  CHECK(here != pair(turning({{0, 0, 1}}), {{0, 0.5, 0}}).fingerprint());

  const std::string numbers = pair(turning({{0, 0, 1}}), {{0.5, 0, 0}}).numbers_fingerprint();
  CHECK(numbers == pair(turning({{0, 0, 1}}), {{0.5 * (1 + 1e-14), 0, 0}}).numbers_fingerprint());
  CHECK(numbers != pair(turning({{0, 0, 1}}), {{0.500001, 0, 0}}).numbers_fingerprint());
  CHECK(here != pair(turning({{0, 0, 1}}, JointKind::prismatic), {{0.5, 0, 0}}).fingerprint());
}
