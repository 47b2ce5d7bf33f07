// What is compared, by field: each sees every state once, and then tells its rows.
#pragma once

#include <memory>
#include <vector>

#include "comparison.hpp"

namespace sparsedyn::verification {

class Check {
 public:
  virtual ~Check() = default;
  virtual void at(const State& state) = 0;
  virtual void report(Verification& rows) const = 0;
};

std::unique_ptr<Check> inverse_dynamics_check(const Model& model);
std::unique_ptr<Check> forward_dynamics_check(const Model& model);
std::unique_ptr<Check> derivatives_check(const Model& model);
std::unique_ptr<Check> motion_check(const Model& model);
/// Null where this build has no second derivatives.
std::unique_ptr<Check> second_derivatives_check(const Model& model);
/// One for each formulation of the sparse system.
std::vector<std::unique_ptr<Check>> system_checks(const Model& model);
/// Null where this build generates no code.
std::unique_ptr<Check> program_check(const Model& model);

/// The conditioning of M at a state, its diagonal scaled to one; infinite where a joint moves no mass.
double conditioning(const Model& model, const State& state);

/// `count` states: neutral at rest, neutral in motion, random ones.
std::vector<State> states(const Model& model, int count, unsigned seed);

}  // namespace sparsedyn::verification
