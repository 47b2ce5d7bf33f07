#include <catch2/catch.hpp>

#include "sparsedyn/model/detail/joint.hpp"
#include "support/robots.hpp"

using namespace sparsedyn;

TEST_CASE("a lumped link adds its inertia to the body that carries it") {
  const Inertia<double> one = inertia_about_com(2.0, {{0.1, 0.2, 0.3}}, {0.01, 0, 0, 0.02, 0, 0.03});
  Pose<double> placement{rotation_from_rpy({{0.3, -0.4, 0.5}}), {{1, 2, 3}}};
  Model m = ModelBuilder("pair").root("a", one, true).link("b", one, "a", "weld", {}, placement).build();
  REQUIRE(m.bodies.size() == 1);
  CHECK(m.links[1].body == 0);
  const Vec3<double> com =
      (1.0 / 4.0) * (2.0 * Vec3<double>{{0.1, 0.2, 0.3}} + 2.0 * (placement.R * Vec3<double>{{0.1, 0.2, 0.3}} + placement.d));
  for (int k = 0; k < 3; ++k) CHECK(m.bodies[0].inertia.h[k] / m.bodies[0].inertia.m == Approx(com[k]).epsilon(1e-14));
}

TEST_CASE("names follow the joints' freedoms") {
  const Inertia<double> I = inertia_about_com(1.0, {{0, 0, 0}}, {1, 0, 0, 1, 0, 1});
  JointSpec ball;
  ball.kind = JointKind::spherical;
  JointSpec cardan;
  cardan.kind = JointKind::universal;
  const Model m = ModelBuilder("names")
                      .root("r", I, true)
                      .link("l1", I, "r", "ball", ball, identity_pose<double>())
                      .link("l2", I, "l1", "cardan", cardan, identity_pose<double>())
                      .build();
  CHECK(m.nq == 7 + 4 + 2);
  CHECK(m.nv == 6 + 3 + 2);
  CHECK(velocity_names(m) == std::vector<std::string>{"base.wx", "base.wy", "base.wz", "base.vx", "base.vy", "base.vz",
                                                      "ball.wx", "ball.wy", "ball.wz", "cardan.1", "cardan.2"});
}

TEST_CASE("the shortest rotation takes z to the axis") {
  for (Vec3<double> axis :
       {Vec3<double>{{0, 0, -1}}, Vec3<double>{{0, 0, 1}}, Vec3<double>{{1, 0, 0}}, Vec3<double>{{0, -0.6, 0.8}}}) {
    const Mat3<double> R = shortest_rotation(axis), RtR = transpose(R) * R;
    for (int i = 0; i < 3; ++i) {
      CHECK(R(i, 2) == Approx(axis[i]).margin(1e-15));
      for (int k = 0; k < 3; ++k) CHECK(RtR(i, k) == Approx(i == k ? 1.0 : 0.0).margin(1e-15));
    }
  }
}
