// Two links that touch each other: a double pendulum with a ball on each rod. A function of ours says where balls touch; the
// dynamics do the rest. It also says how point and normal follow the links, which the derivatives need.
//   example_10_two_spheres     exit 1 where what it prints is not so
#include <cmath>
#include <cstdio>

#include "sparsedyn/constraints/constrained_dynamics.hpp"
#include "sparsedyn/dynamics/aba.hpp"

using namespace sparsedyn;

namespace {

/// A sphere on a link.
struct Ball {
  Vec3<double> centre;  // in the link's frame
  double radius;
};

/// Balls on two links: their point is on the line of centres, half-way between both surfaces.
ContactFinder between(const Ball& one, const Ball& other) {
  return [=](const double*, const Pose<double>& first, const Pose<double>& second, ContactPoint* points) {
    ContactPoint& p = points[0];
    const Vec3<double> far = second.R * other.centre + second.d, apart = first.R * one.centre + first.d - far;
    const double distance = std::sqrt(dot(apart, apart));
    p.there = true;
    p.normal = (1 / distance) * apart;
    p.gap = distance - one.radius - other.radius;
    const double reach = other.radius + 0.5 * p.gap, arm = one.radius + 0.5 * p.gap;
    p.point = far + reach * p.normal;
    // Seen from the second link, a shift s and a turn w of the first about the point move its centre by u = s + arm (w × n),
    // the normal by (u − (n·u) n)/distance, and the point by reach times that and half of (n·u) n.
    p.follows = true;
    for (int c = 0; c < 3; ++c) {
      Vec3<double> e = zero3<double>();
      e[c] = 1;
      for (const bool turn : {false, true}) {
        const Vec3<double> u = turn ? arm * cross(e, p.normal) : e, along = dot(p.normal, u) * p.normal;
        const Vec3<double> n = (1 / distance) * (u - along), moved = reach * n + 0.5 * along;
        for (int r = 0; r < 3; ++r) {
          (turn ? p.normal_by_turn : p.normal_by_shift)(r, c) = n[r];
          (turn ? p.point_by_turn : p.point_by_shift)(r, c) = moved[r];
        }
      }
    }
  };
}

Model pendulum() {
  JointSpec hinge;
  hinge.kind = JointKind::revolute;
  hinge.axis = {{0, 1, 0}};
  const Inertia<double> rod = inertia_about_com(1.0, {{0, 0, -0.25}}, {0.021, 0, 0, 0.021, 0, 0.001});
  return ModelBuilder("pendulum")
      .root("ceiling", zero_inertia<double>(), false)
      .link("upper", rod, "ceiling", "shoulder", hinge, identity_pose<double>())
      .link("lower", rod, "upper", "elbow", hinge, {identity3<double>(), {{0, 0, -0.5}}})
      .build();
}

}  // namespace

int main() {
  const Model model = pendulum();
  Constraint pair;
  pair.name = "balls", pair.type = ConstraintType::link_contact, pair.links = {"lower", "upper"}, pair.friction = {0.5};
  pair.finder = between({{{0, 0, -0.4}}, 0.1}, {{{0.1, 0, -0.25}}, 0.1});
  ConstraintSet set;
  set.constraints = {pair};
  ConstrainedDynamics dynamics(model, set);

  const double q[] = {0.3, -2.3}, dq[] = {0.5, -1.5}, tau[] = {0, -2};  // the elbow folds
  double a[2], force[3], gap[1], da_dq[4], da_dv[4], da_dtau[4], free[2];
  if (!dynamics.derivatives(q, dq, tau, nullptr, {a, force, gap, da_dq, da_dv, da_dtau}).ok()) return 1;
  Workspace<double> ws(model);
  aba<double>(model, ws, q, dq, tau, nullptr, free);
  std::printf("gap %.2f mm, force on the lower rod (%.2f, %.2f, %.2f) N\n", 1e3 * gap[0], force[0], force[1], force[2]);
  std::printf("elbow: %.1f rad/s^2, without the contact %.1f; by its torque %.3f rad/s^2 per N m\n", a[1], free[1], da_dtau[3]);

  double back[2];
  const bool same = dynamics.inverse(q, dq, a, nullptr, back, force, gap).ok() && std::abs(back[0] - tau[0]) < 1e-8 &&
                    std::abs(back[1] - tau[1]) < 1e-8;
  return same && gap[0] < 0 && std::abs(force[1]) < 1e-12 && a[1] > free[1] + 1 ? 0 : 1;
}
