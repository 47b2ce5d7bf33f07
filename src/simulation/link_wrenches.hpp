// The forces of constraints as wrenches on links: of contacts, closed loops and welds. Those of couplings, stops and dry
// friction are torques of joints.
#pragma once

#include <vector>

#include "constraints/rows.hpp"
#include "sparsedyn/constraints/constraint_set.hpp"
#include "sparsedyn/dynamics/workspace.hpp"

namespace sparsedyn {

class LinkWrenches {
 public:
  /// The model must outlive it. Throws std::invalid_argument as ConstrainedDynamics does.
  LinkWrenches(const Model& model, const ConstraintSet& set);

  /// At q (nq), v (nv), with the forces that ConstrainedDynamics found there (its force_columns).
  void at(const double* q, const double* v, const double* lambda);
  /// On that link, in its frame about its origin (N m, N).
  const Force<double>& on(int link) const { return wrenches_[static_cast<std::size_t>(link)]; }
  /// N by which contacts press the link, the sum over their points.
  double pressing(int link) const { return pressing_[static_cast<std::size_t>(link)]; }
  /// Whether a constraint ties it to the world, or may press it.
  bool may_stand(int link) const { return may_stand_[static_cast<std::size_t>(link)] != 0; }
  /// Whether it is pressed, or tied to the world.
  bool stands(int link) const { return tied_[static_cast<std::size_t>(link)] != 0 || pressing(link) > 0; }

 private:
  void add(int link, const Vec3<double>& point, const Vec3<double>& force, const Vec3<double>& moment);
  void add_contact(const RowBlock& b, const RowBlockState& s, const double* f);
  void add_pair(const RowBlock& b, const double* f);

  const Model& model_;
  ConstraintRows rows_;
  Workspace<double> work_;
  std::vector<Force<double>> wrenches_;  // by link, as the next ones
  std::vector<double> pressing_;
  std::vector<char> tied_, may_stand_;
};

}  // namespace sparsedyn
