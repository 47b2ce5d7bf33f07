// Constraints on a robot: contacts with friction, closed loops, stops, dry friction. They are rows on accelerations: soft rows
// as in MuJoCo (Todorov, Erez & Tassa 2012; Todorov 2014), hard rows exact.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sparsedyn/spatial/spatial.hpp"

namespace sparsedyn {

/// The shape of the friction cone.
enum class Cone { elliptic, pyramidal };

/// The dynamics of a soft row (MuJoCo's solref): time constant (s) and damping ratio, or, both below zero, minus stiffness
/// (1/s²) and minus damping (1/s).
using SolverReference = std::array<double, 2>;
/// The firmness d of a soft row, between 0 and 1 (MuJoCo's solimp): at zero violation, at full width, width (m or rad),
/// midpoint, power.
using SolverImpedance = std::array<double, 5>;

/// Defaults for all constraints.
struct ConstraintParameters {
  Cone cone = Cone::elliptic;                           // of contacts with friction
  double impratio = 1;                                  // how much softer sliding is than pressing, of elliptic cones
  SolverReference solref = {0.02, 1};                   // see above
  SolverImpedance solimp = {0.9, 0.95, 0.001, 0.5, 2};  // see above
  double timestep = 0.002;                              // s; time constants are at least twice as long
  bool timestep_given = false;                          // a simulation takes its own step where it is not
};

/// contact: points of a link against a plane of the world. connect: a point of two links. weld: a frame of two links. joint: a
/// joint's coordinate as a polynomial of another's, with further joints linearly. limit: a joint's stops. dry_friction: a
/// bounded torque against motion. link_contact: surfaces of two links, for which a user's function finds the contact points; in
/// C++ and Python, not in files.
enum class ConstraintType { contact, connect, weld, joint, limit, dry_friction, link_contact };

/// The place where two surfaces are nearest to each other, or deepest in each other. In the world's axes, m.
struct ContactPoint {
  bool there = false;              // false: there is no contact point, and the gap is infinite
  Vec3<double> point{{0, 0, 0}};   // half-way between the surfaces
  Vec3<double> normal{{0, 0, 1}};  // of unit length, from the second link to the first
  double gap = 0;                  // between the surfaces along the normal; negative where they overlap
  bool follows = false;            // whether what is below is filled in: derivatives() needs it, nothing else does
  Mat3<double> point_by_turn{};    // how `point` moves, seen from the second link, as the first turns about it (m/rad)
  Mat3<double> point_by_shift{};   // as the first shifts
  Mat3<double> normal_by_turn{};   // likewise of `normal` (1/rad)
  Mat3<double> normal_by_shift{};  // 1/m
};

/// Collision detection between two links: at q (nq), with the poses of both links in the world (of "world" the identity), fills
/// in `points`, as many as Constraint::most_points, which are default-constructed before the call. It is called once a state,
/// on the calling thread, and must not throw; for heap-free calls it must not allocate. The force of points[k] has the name
/// NAME.k. For a warm start, k should denote the same contact from state to state.
using ContactFinder =
    std::function<void(const double* q, const Pose<double>& first, const Pose<double>& second, ContactPoint* points)>;

/// One entry of a set. Members that belong to other types are ignored.
struct Constraint {
  std::string name;                               // unique; the columns' `lambda.NAME…`
  ConstraintType type = ConstraintType::contact;  // see above
  std::vector<std::string> links;                 // contact: one; of pairs of links two, of which one may be "world"
  std::vector<Vec3<double>> points;               // contact: centres of spheres, in the link's frame
  double radius = 0;                              // contact: of the spheres, m
  std::vector<double> friction;                   // contacts: sliding, torsional (m), rolling (m); empty: none
  Vec3<double> plane_point{{0, 0, 0}};            // contact: of the plane, in the world
  Vec3<double> plane_normal{{0, 0, 1}};           // contact: need not be of unit length
  ContactFinder finder;                           // link_contact
  int most_points = 1;                            // link_contact: at a time
  std::array<Pose<double>, 2> frames{
      {identity_pose<double>(), identity_pose<double>()}};  // connect (origins), weld: in the links
  std::vector<std::string> joints;                          // joint: one; limit, dry_friction: of one freedom each
  bool all = false;                                         // limit, dry_friction: every joint that may be
  bool listed = false;                                      // the joints were given as a list, though it may hold one
  std::string of;                                           // joint: the other one; empty: the polynomial's constant
  std::vector<double> polynomial;                           // joint: from the constant on
  std::vector<std::pair<std::string, double>> linear;       // joint: more of them with coefficients, q = p(q_of) + Σ c q
  double loss = 0;                                          // dry_friction: the bound, N m or N
  bool hard = false;                      // connect, weld, joint: held exactly, J q̈ + J̇ q̇ = −2 ω J q̇ − ω² φ
  double omega = 50;                      // of that, 1/s
  double margin = 0;                      // contacts, limit: counts from this distance on
  std::optional<SolverReference> solref;  // in place of the parameters'
  std::optional<SolverImpedance> solimp;  // likewise
  // Of soft rows: contacts, connect, weld: the inverse inertia, linear (1/kg) and angular (1/(kg m²)), in place of the sum of
  // the links' bodies' at the zero posture; joint, limit, dry_friction: the first number, in place of the joints'.
  std::optional<std::array<double, 2>> inverse_weight;
  long line = 0;  // of the file it was read from, or 0

  /// Whether its forces' names hold the joint's too: `lambda.NAME.JOINT`.
  bool in_list() const { return all || listed || joints.size() > 1; }
};

/// All constraints on a robot.
struct ConstraintSet {
  std::string name, file;               // for messages
  ConstraintParameters parameters;      // see above
  std::vector<Constraint> constraints;  // in the order of the columns
};

}  // namespace sparsedyn
