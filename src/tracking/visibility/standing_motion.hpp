// A smooth motion of a floating robot whose contacts stand still: the base sways and turns, joints that reach to contacts hold
// them in place, all others swing.
#pragma once

#include <vector>

#include "sparsedyn/dynamics/workspace.hpp"
#include "sparsedyn/model/model.hpp"
#include "tracking/shared/contacts.hpp"

namespace sparsedyn::tracking {

class StandingMotion {
 public:
  /// share: 1 for the whole motion, 0 for rest. The model must outlive it.
  StandingMotion(const Model& model, std::vector<ContactPoint> points, double share);
  /// q (nq) at the time t (s): of times one after the other. Joints follow their contacts by Gauss and Newton's steps from the
  /// posture before.
  const std::vector<double>& at(double t);
  /// By how much (m) a contact is off its place.
  double gap() const noexcept { return gap_; }

 private:
  std::vector<double> places(const std::vector<double>& q);
  void find_jacobian();
  void hold_contacts(std::vector<double>& q);

  const Model& model_;
  std::vector<ContactPoint> points_;
  double share_, gap_ = 0;
  Workspace<double> work_;
  std::vector<double> q_, held_, jacobian_, point_jacobian_;
  std::vector<char> reaches_;  // by entry of v: the joint moves a contact
};

}  // namespace sparsedyn::tracking
