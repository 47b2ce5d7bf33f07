// A robot with joints of every kind and a state of it, the same in every compilation.
#pragma once

#include <random>
#include <string>

#include "findings.hpp"
#include "sparsedyn/model/model.hpp"

namespace outside {

using namespace sparsedyn;

/// Numbers k/64 from bits alone: the same whatever the compiler does with sums.
inline double drawn(std::mt19937& rng, int range) {
  return (static_cast<int>(rng() % (128u * static_cast<unsigned>(range))) - 64 * range) / 64.0;
}
inline Numbers drawn(std::mt19937& rng, int count, int range) {
  Numbers x;
  for (int k = 0; k < count; ++k) x.push_back(drawn(rng, range));
  return x;
}

/// A floating trunk with chains of `hinges` hinges and one of other joints: 6 + chains · hinges + 8 freedoms.
inline Model robot(int chains, int hinges) {
  std::mt19937 rng(7);
  const auto body = [&] {  // arguments are evaluated in the compiler's order, statements in this one
    const double mass = 1.0 + 0.5 * static_cast<double>(rng() % 4);
    const Vec3<double> centre{{drawn(rng, 1) / 4, drawn(rng, 1) / 4, drawn(rng, 1) / 4}};
    return inertia_about_com(mass, centre, {0.25, 0.03125, 0, 0.375, 0.0625, 0.3125});
  };
  const auto placed = [&] {
    const double yaw = drawn(rng, 1), side = drawn(rng, 1) / 4;
    return Pose<double>{rotation_from_rpy({{0.5, yaw, -0.25}}), {{0.125, side, 0.25}}};
  };
  ModelBuilder builder("outsider");
  builder.root("trunk", body(), true);
  int count = 0;
  const auto link = [&](const std::string& parent, JointKind kind) {
    JointSpec joint;
    joint.kind = kind;
    joint.pitch = 0.125;
    joint.axis = {{0, 0, 0}}, joint.axis[static_cast<int>(rng() % 3)] = 1;
    const std::string name = "link" + std::to_string(++count);
    const Inertia<double> inertia = body();
    builder.link(name, inertia, parent, "joint" + std::to_string(count), joint, placed());
    return name;
  };
  for (int c = 0; c < chains; ++c) {
    std::string parent = "trunk";
    for (int k = 0; k < hinges; ++k) parent = link(parent, JointKind::revolute);
  }
  std::string parent = "trunk";
  for (JointKind kind :
       {JointKind::prismatic, JointKind::helical, JointKind::spherical, JointKind::revolute, JointKind::planar})
    parent = link(parent, kind);
  return builder.build();
}

struct State {
  Numbers q, v, a, lambda, to;
};

/// Unit quaternions are (½, ½, −½, ½), without any rounding.
inline State draw_state(const Model& model) {
  std::mt19937 rng(3);
  State s{drawn(rng, model.nq, 1), drawn(rng, model.nv, 1), drawn(rng, model.nv, 2), drawn(rng, model.nv, 1),
          drawn(rng, model.nv, 1)};
  for (const Body& body : model.bodies) {
    const bool spherical = body.joint == BodyJoint::spherical, floating = body.joint == BodyJoint::floating;
    double* const u = s.q.data() + body.q + (floating ? 3 : 0);
    if (spherical || floating) u[0] = u[1] = u[3] = 0.5, u[2] = -0.5;
  }
  return s;
}

}  // namespace outside
