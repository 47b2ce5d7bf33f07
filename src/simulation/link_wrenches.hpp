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
  /// By link: whether a constraint ties that link itself to the world, or may press it. A loop between links of the robot does
  /// not count: it is no ground.
  const std::vector<char>& grounded() const { return own_; }

  // A contact stands on the link that it names or, where no constraint ties or presses this link itself, on any link of its
  // body: the ground may touch a sole that is fixed to the ankle that the set names.

  /// N by which contacts press the link or its body, the sum over their points.
  double pressing(int link) const;
  /// Whether a constraint ties the link or its body to the world, or may press it.
  bool may_stand(int link) const { return !stands_on_[static_cast<std::size_t>(link)].empty(); }
  /// Whether the link or its body is pressed, or tied to the world.
  bool stands(int link) const;

 private:
  void list_own();
  void list_stands_on();
  bool has_own(int link) const { return own_[static_cast<std::size_t>(link)] != 0; }
  void add(int link, const Vec3<double>& point, const Vec3<double>& force, const Vec3<double>& moment);
  void add_contact(const RowBlock& b, const RowBlockState& s, const double* f);
  void add_pair(const RowBlock& b, const double* f);

  const Model& model_;
  ConstraintRows rows_;
  Workspace<double> work_;
  std::vector<Force<double>> wrenches_;  // by link, as the next ones
  std::vector<double> pressing_;
  std::vector<char> tied_, own_;             // own_: a constraint on the link itself ties it to the world, or may press it
  std::vector<std::vector<int>> stands_on_;  // links with constraints of their own
};

}  // namespace sparsedyn
