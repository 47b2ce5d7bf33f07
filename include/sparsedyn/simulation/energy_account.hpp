// The energy balance of a simulated robot: the difference between its energy and the work done on it is the integrator's error.
//   d/dt (K + P) = vᵀ F,   F = M a + C v + g = τ − load(v) + Jᵀ λ
#pragma once

namespace sparsedyn {

/// J, since the motion began.
struct EnergyAccount {
  double kinetic = 0, potential = 0, first = 0;     // now; their sum at the start
  double torques = 0, losses = 0, constraints = 0;  // work of motors, of the joints' damping and friction, of constraints
  double energy() const { return kinetic + potential; }
  /// The integrator's error: energy minus work.
  double drift() const { return energy() - first - torques - losses - constraints; }
};

}  // namespace sparsedyn
