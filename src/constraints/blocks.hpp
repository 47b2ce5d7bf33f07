// A constraint set with its names resolved: one block of rows for each contact point, pair of links, joint or stop.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "force_law.hpp"
#include "impedance.hpp"
#include "inverse_weights.hpp"
#include "sparsedyn/constraints/constraint_set.hpp"

namespace sparsedyn {

/// Of an equality: a connect, a weld, or joints that are coupled.
inline bool is_loop(ConstraintType type) {
  return type == ConstraintType::connect || type == ConstraintType::weld || type == ConstraintType::joint;
}

/// A further joint of a constraint `joint`: − factor q in φ.
struct LinearTerm {
  int freedom = -1;     // entry of v
  double ratio = 1;     // rate of the joint beside that entry's
  int coordinate = -1;  // in the tree's q
  double factor = 0;
};

/// What does not change with the state.
struct RowBlock {
  ConstraintType type = ConstraintType::contact;
  bool hard = false;
  std::string name;              // `left.0`
  int link[2] = {-1, -1};        // contact: the first; of pairs both
  int freedom[2] = {-1, -1};     // joint (and `of`), limit, dry_friction: entries of v
  double ratio[2] = {1, 1};      // rate of the joint beside that entry's: a follower's multiplier
  int coordinate[2] = {-1, -1};  // the joints' entries in the tree's q
  Vec3<double> point{{0, 0, 0}};
  double radius = 0;
  Vec3<double> plane_point{{0, 0, 0}};
  Mat3<double> plane{};          // rows: normal, t1, t2
  ContactFinder finder;          // link_contact: of the first of its blocks
  int finder_points = 0;         // how many it fills in
  int found = -1;                // link_contact: which of all points that finders fill in
  std::vector<double> friction;  // contacts: by tangential row: sliding twice, torsional, rolling twice
  Cone cone = Cone::elliptic;
  double impratio = 1;
  Pose<double> frames[2] = {identity_pose<double>(), identity_pose<double>()};
  std::vector<double> polynomial;
  std::vector<LinearTerm> linear;  // joint
  double lower = 0, upper = 0;     // limit
  double loss = 0, omega = 0, margin = 0;
  Stiffness pull{0, 0};
  SolverImpedance impedance{};
  double linear_weight = 0, angular_weight = 0;  // inverse inertias, of both links together; of joints: linear_weight
  double unit = 1;                               // connect, weld, joint: what counts as one of rows 0 to 2, by natural_units
  int rows = 0;                                  // of J
  int first_row = 0;                             // among all rows
  int first_force = 0, forces = 0;               // what it writes into λ
  int first_gap = -1;                            // contacts
  std::vector<int> freedoms;                     // entries of v in which its rows may be other than zero

  bool is_contact() const { return type == ConstraintType::contact || type == ConstraintType::link_contact; }
  /// Directions of force of a contact: normal, then one for each entry of `friction`.
  int directions() const { return 1 + static_cast<int>(friction.size()); }
};

/// A contact's directions at a unit normal, by rows: the normal n; world y (z where `by_z`) made normal to it, t1; n × t1.
template <class S>
Mat3<S> contact_axes(const Vec3<S>& n, bool by_z) {
  using std::sqrt;
  const Vec3<S> from{{S(0.0), S(by_z ? 0.0 : 1.0), S(by_z ? 1.0 : 0.0)}},
      t = from - dot(from, n) * n, t1 = (S(1.0) / sqrt(dot(t, t))) * t, t2 = cross(n, t1);
  Mat3<S> axes;
  for (int k = 0; k < 3; ++k) axes(0, k) = n[k], axes(1, k) = t1[k], axes(2, k) = t2[k];
  return axes;
}
/// Which of both: z where |n_y| ≥ ½, as MuJoCo has it.
inline bool by_z(const Vec3<double>& n) { return std::abs(n[1]) >= 0.5; }

/// Names of the rows of a connect (3), weld (6) or joint constraint (1): `rod.x`, `grip.nx`, `finger`; of a weld the forces'
/// first.
std::vector<std::string> equality_rows(const std::string& name, int rows);

/// The last body in common of the ways to two bodies, or -1. What moves both moves neither past the other.
int common_body(const Model& model, int one, int other);

/// The set with its hard constraints alone.
ConstraintSet hard_part(const ConstraintSet& set);

/// Of the robot, or (for the same constraints, of the same weights) of its tree, in which every joint moves on its own.
enum class Freedoms { robot, tree };

/// Throws std::invalid_argument naming the constraint.
std::vector<RowBlock> resolved(const Model& model, const ConstraintSet& set, const InverseWeights& weights,
                               Freedoms freedoms = Freedoms::robot);

/// The freedoms that each block ties together.
std::vector<std::vector<int>> freedoms_of(const std::vector<RowBlock>& blocks);

}  // namespace sparsedyn
