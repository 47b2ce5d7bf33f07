// What holds a robot beside its joints: contacts with friction, closed loops, stops, dry friction. Rows on accelerations,
// soft ones as MuJoCo states them (Todorov, Erez & Tassa 2012; Todorov 2014), hard ones exact.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "sparsedyn/spatial/spatial.hpp"

namespace sparsedyn {

/// The shape of the friction cone.
enum class Cone { elliptic, pyramidal };

/// How fast a soft row pulls back (MuJoCo's solref): time constant (s) and damping ratio, or, both below zero, minus stiffness
/// (1/s²) and minus damping (1/s).
using SolverReference = std::array<double, 2>;
/// How firmly it does, d between 0 and 1 (MuJoCo's solimp): at zero violation, at full width, width (m or rad), midpoint,
/// power.
using SolverImpedance = std::array<double, 5>;

/// What holds for all constraints that say nothing else.
struct ConstraintParameters {
  Cone cone = Cone::elliptic;                           // of contacts with friction
  double impratio = 1;                                  // how much softer sliding is than pressing, of elliptic cones
  SolverReference solref = {0.02, 1};                   // see above
  SolverImpedance solimp = {0.9, 0.95, 0.001, 0.5, 2};  // see above
  double timestep = 0.002;                              // s; time constants are at least twice as long
  bool timestep_given = false;                          // a simulation takes its own step where it is not
};

/// contact: points of a link against a plane of the world. connect: a point of two links. weld: a frame of two links. joint: a
/// joint's coordinate as a polynomial of another's. limit: a joint's stops. dry_friction: a bounded torque against motion.
enum class ConstraintType { contact, connect, weld, joint, limit, dry_friction };

/// One entry of a set. What its type does not name is not looked at.
struct Constraint {
  std::string name;                               // unique; the columns' `lambda.NAME…`
  ConstraintType type = ConstraintType::contact;  // see above
  std::vector<std::string> links;                 // contact: one; connect, weld: two, of which one may be "world"
  std::vector<Vec3<double>> points;               // contact: centres of spheres, in the link's frame
  double radius = 0;                              // contact: of the spheres, m
  std::vector<double> friction;                   // contact: sliding, torsional (m), rolling (m); empty: none
  Vec3<double> plane_point{{0, 0, 0}};            // contact: of the plane, in the world
  Vec3<double> plane_normal{{0, 0, 1}};           // contact: need not be of unit length
  std::array<Pose<double>, 2> frames{
      {identity_pose<double>(), identity_pose<double>()}};  // connect (origins), weld: in the links
  std::vector<std::string> joints;                          // joint: one; limit, dry_friction: of one freedom each
  bool all = false;                                         // limit, dry_friction: every joint that may be
  std::string of;                                           // joint: the other one; empty: the polynomial's constant
  std::vector<double> polynomial;                           // joint: from the constant on
  double loss = 0;                                          // dry_friction: the bound, N m or N
  bool hard = false;                      // connect, weld, joint: held exactly, J q̈ + J̇ q̇ = −2 ω J q̇ − ω² φ
  double omega = 50;                      // of that, 1/s
  double margin = 0;                      // contact, limit: counts from this distance on
  std::optional<SolverReference> solref;  // in place of the parameters'
  std::optional<SolverImpedance> solimp;  // likewise
  long line = 0;                          // of the file it was read from, or 0
};

/// All that holds a robot.
struct ConstraintSet {
  std::string name, file;               // for messages
  ConstraintParameters parameters;      // see above
  std::vector<Constraint> constraints;  // in the order of the columns
};

}  // namespace sparsedyn
