// A hard constraint as rows of a system: what it holds together, and where the unknown force that does so stands.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "sparsedyn/constraints/constraint_set.hpp"

namespace sparsedyn {

/// Of connect and weld, one of the two links.
struct ClosureSide {
  int body = -1;                                  // -1: it stands still
  Pose<double> anchor = identity_pose<double>();  // in the body's leading frame, or in the world
};

/// A further joint of a closure of the type joint.
struct ClosureTerm {
  int v = -1, q = -1;         // its entries in the tree
  int ddq = -1, torque = -1;  // its column (a mimic joint's is its leader's) and its torque row
  double ratio = 1;           // its acceleration beside that column's
  double factor = 0;
};

/// Rows: connect x y z; weld x y z and the three turns; joint one. Turns are about the world's axes, as the force is: what is
/// left of row and force in elimination is then symmetric, with pivots that do not vanish. Where one of them is redundant (in a
/// plane), they are about the axes of the second frame, of which single ones are. Force λ: connect and
/// weld in world axes (a weld's moment first), on the first link, the opposite on the second; joint: a torque. A row that
/// follows from others at every state says instead that its part of λ is zero.
///
/// Which row that is depends on the axes: across the plane of a linkage on a body that turns, no axis of the world stays. Such
/// rows and their λ stand in the axes R of the leading link of a body: the last that both ways round the loop have in common,
/// or, of a spherical linkage, one of those that it joins. Further rows say what the force is in world axes, λ_world − R λ = 0.
/// Where row k is the sum Σ c_j row j at every posture, as across a plane that lies at any angle, λ_k = Σ c_j λ_j: the force
/// has no part that moves nothing.
struct Closure {
  ConstraintType type = ConstraintType::connect;       // connect, weld or joint
  std::string name;                                    // as the user calls it
  int first_row = 0, rows = 0;                         // equations
  int lambda = 0;                                      // first of as many unknowns
  std::vector<char> redundant;                         // by row
  std::array<Mat3<double>, 2> shares{};                // c: of points, of turns; row k of a redundant row k
  int axes = -1;                                       // connect, weld: the body in whose axes rows and λ stand; -1: the world
  Mat3<double> axes_R = identity3<double>();           // of these axes in the body's leading frame
  double omega = 0;                                    // 1/s, of the stabilisation
  std::array<ClosureSide, 2> sides;                    // connect, weld
  std::array<int, 2> v{{-1, -1}}, q{{-1, -1}};         // joint: its entries in the tree, those of the other joint or -1
  std::array<int, 2> ddq{{-1, -1}}, torque{{-1, -1}};  // their columns (a mimic joint's is its leader's) and torque rows
  std::array<double, 2> ratio{{1, 1}};                 // acceleration of the joint beside that column's
  std::vector<double> polynomial;                      // of that joint's coordinate, from the constant on
  std::vector<ClosureTerm> linear;                     // joint: − factor q of further joints

  /// The unknown of the force along the row's axis: of a weld's turns, of the moment about the axis of that number.
  int force(int row) const { return lambda + (type == ConstraintType::weld ? (row + 3) % 6 : row); }
  /// The unknown of the same force along the world's axis.
  int world_force(int row) const { return axes < 0 ? force(row) : rows + force(row); }
  /// Whether an unknown of that component is the force along a world's axis that follows from those along a body's.
  bool follows(int component) const { return component >= rows; }
  /// Of a weld: whether its turns are about the axes along which its points' rows stand.
  bool turns_about_world() const { return !redundant[3] && !redundant[4] && !redundant[5]; }
};

}  // namespace sparsedyn
