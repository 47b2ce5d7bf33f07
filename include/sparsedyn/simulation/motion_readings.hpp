// What the sensors of a set read along a forward simulation, as an estimate over time takes them: with their noise, and with
// the flags of contacts.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sparsedyn/constraints/constraint_set.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

/// One object a motion.
class MotionReadings {
 public:
  /// system: of the set, in the formulation newton-euler; constraints: those of the simulation. dt (s) between rows.
  /// forces_last: the forces at a row act until the next one, as in semi-implicit integration; else they change linearly
  /// between rows. The same seed gives the same noise on every machine. taken: columns that a log has already; flags of these
  /// names are left out. The system must outlive this. Throws std::invalid_argument as ConstrainedDynamics does.
  MotionReadings(const System& system, const ConstraintSet& constraints, double dt, bool forces_last, std::uint64_t seed,
                 const std::vector<std::string>& taken = {});
  ~MotionReadings();

  /// y.* of the set's sensors; then the flags of its contacts, as `track` calls them, but those that are columns already.
  std::vector<std::string> columns() const;
  /// Contacts on bodies that no constraint presses or ties to the world: their flags stay 0.
  std::vector<std::string> never_standing() const;

  /// Of the next row: its state (nq, nv), and the forces of the constraints there (ConstrainedDynamics::force_columns). A
  /// number for each column; NaN where there is none (the centre of pressure of what does not press). Sensors of the state read
  /// the row's; all others the mean over the interval that ends at the row: velocity (q ⊖ q_before) / dt, acceleration (v −
  /// v_before) / dt, at the posture half-way; those of the first row, and sensors that sample ("instant"), the row's state with
  /// the accelerations a (nv) there. Torques are what the laws of motion ask for: stops, dry friction and couplings included. A
  /// flag is 1 where a contact presses the link or a constraint ties it to the world, at the row less the contact's delay; a
  /// force flag is the force that presses. Where no constraint acts on the link of a contact or of a wrench, what acts on other
  /// links of its body counts on it; of several such wrenches that the set names, on the first link's. Cost: two passes over
  /// the laws of motion.
  const double* next(const double* q, const double* v, const double* a, const double* lambda);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace sparsedyn
