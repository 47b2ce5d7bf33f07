// The robots that ship load without a warning and have the masses, sizes and freedoms that their files promise.
#include <catch2/catch.hpp>
#include <tuple>

#include "sparsedyn/model/detail/joint.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/robots.hpp"

using namespace sparsedyn;

namespace {

Model shipped(const std::string& name, bool floating) {
  LoadOptions options;
  options.floating = floating;
  LoadReport report;
  const Model model = load_urdf(test::source_folder() + "/robots/" + name + ".urdf", options, &report);
  CHECK(report.warnings.empty());
  return model;
}

double total_mass(const Model& model) {
  double sum = 0;
  for (const Link& link : model.links) sum += link.inertia.m;
  return sum;
}

/// Where a link's origin lies in the world with all joints at zero.
Vec3<double> home_position(const Model& model, const std::string& name) {
  std::vector<double> q(model.nq, 0.0);
  if (model.floating()) q[6] = 1.0;
  const Link& link = model.links[model.find_link(name)];
  Pose<double> pose = link.pose;
  for (int b = link.body; b >= 0; b = model.bodies[b].parent) pose = joint_pose(model.bodies[b], q.data()) * pose;
  return pose.d;
}

void check_position(const Model& model, const std::string& link, const Vec3<double>& expected) {
  const Vec3<double> p = home_position(model, link);
  for (int k = 0; k < 3; ++k) CHECK(p[k] == Approx(expected[k]).margin(1e-12));
}

}  // namespace

TEST_CASE("the arm has seven joints, two fingers, and the lengths and the mass of its data sheet") {
  const Model arm = shipped("arm", false);
  CHECK(arm.nv == 9);
  CHECK(total_mass(arm) - arm.links[arm.find_link("pedestal")].inertia.m == Approx(29.9 + 0.28 + 0.9 + 2 * 0.06));
  check_position(arm, "link2", {{0, 0, 0.36}});
  check_position(arm, "link4", {{0, 0, 0.36 + 0.42}});
  check_position(arm, "link6", {{0, 0, 0.36 + 0.42 + 0.40}});
  check_position(arm, "wrist_sensor", {{0, 0, 0.36 + 0.42 + 0.40 + 0.126}});
}

TEST_CASE("the quadruped weighs 9 kg and stands on four straight legs") {
  const Model quadruped = shipped("quadruped", true);
  CHECK(quadruped.nv == 6 + 12);
  CHECK(total_mass(quadruped) == Approx(9.0));
  const std::tuple<const char*, int, int> legs[] = {{"lf", 1, 1}, {"rf", 1, -1}, {"lh", -1, 1}, {"rh", -1, -1}};
  for (const auto& [leg, x, y] : legs) check_position(quadruped, std::string(leg) + "_foot", {{0.19 * x, 0.111 * y, -0.404}});
}

TEST_CASE("the humanoid has the body of 73 kg and soles lumped into its feet") {
  const Model humanoid = shipped("humanoid", true);
  CHECK(humanoid.nv == 6 + 29);
  double drives = 0;
  for (const char* link : {"waist", "neck", "chest_imu"}) drives += humanoid.links[humanoid.find_link(link)].inertia.m;
  for (const char* side : {"l_", "r_"})
    for (const char* part : {"shoulder_1", "shoulder_2", "elbow_drive", "hip_1", "hip_2", "ankle", "sole"})
      drives += humanoid.links[humanoid.find_link(std::string(side) + part)].inertia.m;
  CHECK(total_mass(humanoid) - drives == Approx(73.0).epsilon(1e-4));
  for (const char* side : {"l_", "r_"}) {
    const Link& sole = humanoid.links[humanoid.find_link(std::string(side) + "sole")];
    CHECK(sole.moving_joint == -1);
    CHECK(sole.body == humanoid.links[humanoid.find_link(std::string(side) + "foot")].body);
  }
  check_position(humanoid, "l_sole", {{0.05, 0.085, -0.4222 - 0.4403 - 0.0679}});
}

TEST_CASE("inertias of the shipped robots are those of solids") {
  for (const char* name : {"arm", "quadruped", "humanoid"}) {
    const Model model = shipped(name, false);
    for (const Link& link : model.links) {
      if (link.inertia.m == 0.0) continue;
      // Second moments about the centre of mass are positive in every direction: Σ − h hᵀ / m > 0.
      const Vec3<double>& h = link.inertia.h;
      const double m = link.inertia.m;
      INFO(name << ": " << link.name);
      CHECK(link.inertia.moments.xx - h[0] * h[0] / m > 0);
      CHECK(link.inertia.moments.yy - h[1] * h[1] / m > 0);
      CHECK(link.inertia.moments.zz - h[2] * h[2] / m > 0);
    }
  }
}
