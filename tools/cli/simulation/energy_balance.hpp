// The energy of a robot that is let go, beside the work that went into it: what is left over is the integrator's error.
//   d/dt (K + P) = vᵀ F,   F = M a + C v + g = τ − load(v) + Jᵀ λ
#pragma once

#include <vector>

#include "sparsedyn/dynamics/detail/workspace.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn::cli {

/// J, since the motion began.
struct EnergyAccount {
  double kinetic = 0, potential = 0, first = 0;     // now; their sum at the start
  double torques = 0, losses = 0, constraints = 0;  // work of motors, of the joints' damping and friction, of constraints
  double energy() const { return kinetic + potential; }
  /// What no work explains.
  double drift() const { return energy() - first - torques - losses - constraints; }
};

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
  Model bare_;  // rotors, and no damping, friction, offset
  Workspace<double> work_;
  std::vector<double> all_;  // F
  EnergyAccount account_;
  bool started_ = false;
};

}  // namespace sparsedyn::cli
