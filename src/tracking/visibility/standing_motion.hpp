// A smooth motion of a floating robot whose contacts stand still, or roll (rolling.hpp), and whose loops stay closed:
// the base sways and turns, joints that reach to contacts hold them in place, all others swing as far as loops let them.
#pragma once

#include <vector>

#include "constraints/loops/loop_errors.hpp"
#include "sparsedyn/constraints/constraint_set.hpp"
#include "sparsedyn/dynamics/workspace.hpp"
#include "sparsedyn/model/model.hpp"
#include "tracking/shared/contacts.hpp"

namespace sparsedyn::tracking {

class StandingMotion {
 public:
  /// share: 1 for the whole motion, 0 for rest. Of the constraints those that are hard count. The model must outlive it. Throws
  /// Untrackable where no posture closes the loops.
  StandingMotion(const Model& model, const ConstraintSet& constraints, std::vector<ContactPoint> points, double share);
  /// q (nq) at the time t (s): of times one after the other; pushed: m by which the base is off along its x axis. Joints follow
  /// their contacts by Gauss and Newton's steps from the posture before.
  const std::vector<double>& at(double t, double pushed = 0);
  /// By how much (m) a contact is off its place, or a loop open (m, rad).
  double gap() const noexcept { return gap_; }

 private:
  std::vector<double> places(const std::vector<double>& q);
  std::vector<double> gaps(const std::vector<double>& q);
  void find_jacobian();
  void find_reaching();
  void hold(std::vector<double>& q);
  Matrix3 link_of(std::size_t point) const;
  Vector3 rolled(std::size_t point) const;
  void roll_on();

  const Model& model_;
  std::vector<ContactPoint> points_;
  double share_, gap_ = 0;
  Workspace<double> work_;
  LoopErrors loops_;
  std::vector<double> middle_, q_, held_, jacobian_, point_jacobian_;  // middle_: about which it moves
  std::vector<Matrix3> links_;                                         // by point: orientation of its link where held_ is
  std::vector<char> reaches_;  // by entry of v: the joint moves a contact, or is in a loop with one that does
};

}  // namespace sparsedyn::tracking
