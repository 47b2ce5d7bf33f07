// The ground of a motion's page is where the constraints have it, and what lies below it is said.
#include "simulation/ground.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "support/robots.hpp"

using namespace sparsedyn;
using Catch::Contains;

namespace {

Constraint touching(const std::string& name, Vec3<double> point, Vec3<double> normal) {
  Constraint contact;
  contact.name = name, contact.links = {"b"}, contact.points = {{{0, 0, 0}}};
  contact.plane_point = point, contact.plane_normal = normal;
  return contact;
}

/// A free body of 2 kg whose centre of mass is 0.1 m along its x.
Model free_body() {
  Inertia<double> inertia{};
  inertia.m = 2, inertia.h = {{0.2, 0, 0}}, inertia.moments.xx = 1, inertia.moments.yy = 1.1, inertia.moments.zz = 1.2;
  return ModelBuilder("one").root("b", inertia, true).build();
}

}  // namespace

TEST_CASE("planes of contacts are told apart by what they are, not by their points, and without one the ground is z = 0") {
  ConstraintSet set;
  REQUIRE(ground_planes(set).size() == 1);
  CHECK((ground_planes(set)[0].point[2] == 0 && ground_planes(set)[0].normal[2] == 1 && ground_planes(set)[0].names.empty()));
  set.constraints = {touching("a", {{0, 0, -0.5}}, {{0, 0, 1}}), touching("b", {{3, 1, -0.5}}, {{0, 0, 2}}),
                     touching("step", {{0, 0, -0.4}}, {{0, 0, 1}}), touching("wall", {{1, 0, 0}}, {{-1, 0, 0}})};
  set.constraints.emplace_back();
  set.constraints.back().type = ConstraintType::limit;
  const std::vector<GroundPlane> planes = ground_planes(set);
  REQUIRE(planes.size() == 3);
  CHECK((planes[0].names == std::vector<std::string>{"a", "b"} && planes[0].point[2] == -0.5));
  CHECK((planes[1].names == std::vector<std::string>{"step"} && planes[2].normal[0] == -1));
}

TEST_CASE("a body is below a plane where its centre of mass is, along the plane's normal") {
  const Model model = free_body();
  ConstraintSet set;
  const double s = std::sqrt(0.5);
  set.constraints = {touching("slope", {{0, 0, 0}}, {{s, 0, s}})};
  BelowGround ground(model, ground_planes(set));
  Pose<double> pose = identity_pose<double>();
  ground.add(0, {pose});  // the centre is at x = 0.1, above the slope
  CHECK(ground.words().empty());
  pose.d = {{0, 0, -0.05}};
  ground.add(1, {pose});  // the frame is below, the centre is not
  CHECK(ground.words().empty());
  pose.d = {{0, 0, -0.5}};
  ground.add(2, {pose});  // by 0.4 sin 45°
  ground.add(3, {identity_pose<double>()});
  CHECK_THAT(ground.words(),
             Contains("Below the plane of slope (normal 0.707, 0, 0.707), from 2 s at the earliest: the centre of mass of b") &&
                 Contains("by up to 0.283 m") && Contains("stop their own points alone"));
}

TEST_CASE("below a ground that nothing names, the words say that it stops nothing") {
  const Model model = free_body();
  BelowGround ground(model, ground_planes({}));
  Pose<double> pose = identity_pose<double>();
  pose.d = {{0, 0, -1}};
  ground.add(1234.5678, {pose});
  CHECK_THAT(ground.words(), Contains("Below z = 0, from 1234.568 s at the earliest: the centre of mass of b, by up to 1 m") &&
                                 Contains("stops nothing"));
}

TEST_CASE("a centre of mass in the plane, but for rounding, is not below it") {
  const Model model = free_body();
  BelowGround ground(model, ground_planes({}));
  Pose<double> pose = identity_pose<double>();
  for (double z : {0.0, -6e-17, -9e-7}) {
    pose.d = {{0, 0, z}};
    ground.add(0, {pose});
  }
  CHECK(ground.words().empty());
  pose.d = {{0, 0, -2e-6}};
  ground.add(1, {pose});
  CHECK_THAT(ground.words(), Contains("from 1 s at the earliest"));
}
