// Bodies in the frame of the base, as if its joint were at rest at the origin: there the base's columns of S are unit vectors.
// Recorded.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "codegen/ir/port_names.hpp"
#include "contact_layout.hpp"
#include "sparsedyn/codegen/recorder.hpp"
#include "sparsedyn/dynamics/workspace.hpp"

namespace sparsedyn {

using Column = std::array<Expr, 6>;  // a motion or a force: angular part first
/// The angular part.
inline Vec3<Expr> turning(const Column& m) { return {{m[0], m[1], m[2]}}; }

Expr product(const Column& a, const Column& b);
Column sum(const Column& a, const Column& b);
Column scaled(const Expr& x, const Column& a);
/// Of motions: a × b.
Column crossed(const Column& a, const Column& b);

class Frames {
 public:
  /// q, v: of the robot.
  Frames(const Model& model, const std::vector<Expr>& q, const std::vector<Expr>& v);

  Pose<Expr> link(int l) const;
  /// Of the frame in the world.
  const Pose<Expr>& world() const { return world_; }
  /// Whether it is the base's, which turns in the world.
  bool turns() const { return turns_; }
  /// Of the tree's freedom.
  const Column& column(int freedom) const { return columns_[static_cast<std::size_t>(freedom)]; }
  const Column& velocity(int body) const { return velocity_[static_cast<std::size_t>(body)]; }
  /// Σ S_i c_i, what spatial accelerations lack of classical ones (ConstraintRows).
  const Column& drift(int body) const { return drift_[static_cast<std::size_t>(body)]; }
  /// At q̈ = 0, gravity apart: that of the body's point at the origin is its linear part and ω × v.
  const Column& acceleration(int body) const { return acceleration_[static_cast<std::size_t>(body)]; }
  /// Σ S_k ∂c_k/∂v_i over the freedoms k of the joint that freedom i belongs to.
  const Column& drift_by(int freedom) const { return drift_by_[static_cast<std::size_t>(freedom)]; }
  /// Σ S x over the freedoms on the way to each body; x: rates of the robot, whose tree this is.
  std::vector<Column> motions(const Model& model, const std::vector<Expr>& x) const;

 private:
  void add_body(int b, const std::vector<Expr>& v);

  const Model& tree_;
  Workspace<Expr> work_;
  Pose<Expr> world_;
  bool turns_ = false;
  std::vector<Column> columns_, velocity_, acceleration_, drift_, drift_by_;
};

/// Columns of S with what is constant in them: the others are handed from stage to stage.
struct KnownColumns {
  std::vector<std::array<double, 6>> value;  // by place in ContactLayout::columns
  std::vector<std::array<char, 6>> varies;
};
KnownColumns known_columns(const Model& model, const ContactLayout& layout);

/// A vector in the making.
struct Values {
  std::vector<Expr> all;
  void add(const Expr& x) { all.push_back(x); }
  void add(const Column& x) { all.insert(all.end(), x.begin(), x.end()); }
  void add(const Vec3<Expr>& x) {
    for (int k = 0; k < 3; ++k) add(x[k]);
  }
  /// Rows of eight, as the hand-written part has them.
  void add_row(const Column& x) { add(x), add(Expr(0.0)), add(Expr(0.0)); }
};

void output(Recorder& recorder, const std::string& port, const Values& values);

/// Writes the outputs motion, where and axes of ContactStages::prepare.
void record_contact_geometry(Recorder& recorder, const ContactLayout& layout, const Frames& frames);
/// Of the columns of S that constraints move, the numbers that vary, as they are handed on.
Values varying_columns(const Recorder& recorder, const ContactLayout& layout, const Frames& frames);
/// Reads them as the input S: columns by freedom of the tree.
std::vector<Column> input_columns(Recorder& recorder, const Model& model, const ContactLayout& layout,
                                  const KnownColumns& known);

/// Way of a body to the base: the tree's freedoms, the nearest first.
std::vector<int> way_of_body(const Model& model, int body);

}  // namespace sparsedyn
