// Smooth motions are consistent: their velocities are the slopes of their positions, their torques give their accelerations.
#include "sparsedyn/simulation/smooth_motion.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "support/robots.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

using Vector = std::vector<double>;

Model robot_of_all_kinds() { return random_tree(8, 11, {true, false, 0.3, every_joint_kind()}); }

Vector row_at(SmoothMotion& motion, double t) {
  Vector row(motion.columns().size());
  motion.row(t, row.data());
  return row;
}

}  // namespace

TEST_CASE("A smooth motion's velocities are the slopes of its positions, and forward dynamics returns its accelerations") {
  const Model model = robot_of_all_kinds();
  SmoothMotion motion(model, nullptr, 4);
  const std::size_t nq = static_cast<std::size_t>(model.nq), nv = static_cast<std::size_t>(model.nv);
  REQUIRE(motion.columns().size() == 1 + nq + 3 * nv);
  constexpr double t = 0.37, h = 1e-4;
  const Vector before = row_at(motion, t - h), now = row_at(motion, t), after = row_at(motion, t + h);
  const double *q = now.data() + 1, *v = q + nq, *a = v + nv, *tau = a + nv;
  Vector way(nv), ddq(nv);
  difference(model, before.data() + 1, after.data() + 1, way.data());
  Workspace<double> work(model);
  REQUIRE(aba(model, work, q, v, tau, static_cast<const Force<double>*>(nullptr), ddq.data()).singular == -1);
  for (std::size_t k = 0; k < nv; ++k) {
    INFO(motion.columns()[1 + nq + k]);
    CHECK(std::abs(way[k] / (2 * h) - v[k]) < 1e-6);
    CHECK(std::abs((after[1 + nq + k] - before[1 + nq + k]) / (2 * h) - a[k]) < 1e-5);
    CHECK(std::abs(ddq[k] - a[k]) < 1e-9 * std::max(1.0, std::abs(a[k])));
  }
  motion.require_constants();
}

TEST_CASE("A seed gives one motion and one noise, another seed gives others") {
  const Model model = random_tree(3, 2);
  const System system(model, parse_sensor_set(R"({"name": "s", "sensors": [
    {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.1},
    {"name": "free", "type": "external_wrench", "link": "*", "value": 0}]})",
                                              "set"));
  SmoothMotion first(model, &system, 4), second(model, &system, 4), other(model, &system, 5);
  const Vector row = row_at(first, 0.1);
  CHECK(row == row_at(second, 0.1));
  CHECK(row != row_at(other, 0.1));
  CHECK(row != row_at(first, 0.1));  // its noise is drawn anew
  first.require_constants();
}

TEST_CASE("Constants that contradict each other are told with what is missed") {
  const Model model = random_tree(2, 2);
  const std::string joint = model.joints.front().name;
  const System system(model, parse_sensor_set(R"({"name": "s", "sensors": [
    {"name": "one", "type": "joint_acceleration", "joint": ")" +
                                                  joint + R"(", "value": 1},
    {"name": "two", "type": "joint_acceleration", "joint": ")" +
                                                  joint + R"(", "value": 2},
    {"name": "free", "type": "external_wrench", "link": "*", "value": 0}]})",
                                              "set"));
  SmoothMotion motion(model, &system, 1);
  row_at(motion, 0);
  try {
    motion.require_constants();
    FAIL("no constant is missed");
  } catch (const ContradictoryConstants& missed) {
    CHECK(missed.by == Approx(1));  // one of both is taken
    CHECK(std::string(missed.what()).find("is missed by 1") != std::string::npos);
  }
}
