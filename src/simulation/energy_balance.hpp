// Keeps the account of a simulated robot's energy, step by step.
#pragma once

#include <vector>

#include "sparsedyn/dynamics/workspace.hpp"
#include "sparsedyn/model/model.hpp"
#include "sparsedyn/simulation/energy_account.hpp"

namespace sparsedyn {

/// Forces at an instant: of the motors; of what the joints hold back.
struct JointForces {
  const double *tau, *load;
};

class EnergyBalance {
 public:
  /// The robot as it is, without what an integrator adds. It must outlive this.
  explicit EnergyBalance(const Model& robot);
  /// Energies at a state; the first call is the start.
  void at(const double* q, const double* v) noexcept;
  /// Work over the time h: of the forces at (q, v, a), along the velocity `mean`.
  void add(double h, const double* mean, const double* q, const double* v, const double* a, const JointForces& forces) noexcept;
  const EnergyAccount& account() const noexcept { return account_; }

 private:
  const Model& robot_;
  Model bare_;  // with armature and springs, whose work is stored, and without damping, friction and offset
  Workspace<double> work_;
  std::vector<double> all_;  // F
  EnergyAccount account_;
  bool started_ = false;
};

}  // namespace sparsedyn
