// What the race needs of a library: to run one algorithm on one of the states it was given, and to show the result.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sparsedyn/model/model.hpp"

namespace peers {

/// minverse is a library's fastest way, direct_minverse the articulated-body one.
enum class Algorithm {
  rnea,
  aba,
  crba,
  minverse,
  direct_minverse,
  coriolis,
  rnea_derivatives,
  aba_derivatives,
  rnea_second_derivatives
};
constexpr Algorithm algorithms[] = {Algorithm::rnea,
                                    Algorithm::aba,
                                    Algorithm::crba,
                                    Algorithm::minverse,
                                    Algorithm::direct_minverse,
                                    Algorithm::coriolis,
                                    Algorithm::rnea_derivatives,
                                    Algorithm::aba_derivatives,
                                    Algorithm::rnea_second_derivatives};
const char* name(Algorithm algorithm);

/// A state of the robot in sparsedyn's conventions. `a` is what rnea is given, `tau` what aba is given.
struct State {
  std::vector<double> q, v, a, tau;
};

/// Random states: angles within ±π, displacements, rates, accelerations and torques of order 1, unit quaternions.
std::vector<State> random_states(const sparsedyn::Model& model, int count, unsigned seed);

class Contender {
 public:
  virtual ~Contender() = default;
  virtual std::string label() const = 0;
  virtual bool offers(Algorithm algorithm) const = 0;
  /// What is timed. The library's result stays where the library puts it.
  virtual void run(Algorithm algorithm, int state) = 0;
  /// Runs, and gives the result in sparsedyn's order: tau, a, M, M⁻¹, C, (∂τ/∂q, ∂τ/∂v), (∂a/∂q, ∂a/∂v) or (∂²τ/∂q∂q,
  /// ∂²τ/∂q∂v, ∂²τ/∂v∂v, ∂M/∂q), matrices whole and row by row.
  virtual std::vector<double> result(Algorithm algorithm, int state) = 0;
};

std::unique_ptr<Contender> sparsedyn_contender(const sparsedyn::Model& model, const std::vector<State>& states);
/// Generated programs (not direct_minverse). Throws sparsedyn::CompilerFailure.
std::unique_ptr<Contender> generated_contender(const sparsedyn::Model& model, const std::vector<State>& states);
/// Pinocchio reads the URDF with its own parser. `world`: its WORLD convention for aba and crba instead of LOCAL.
std::unique_ptr<Contender> pinocchio_contender(const std::string& urdf, const sparsedyn::Model& model,
                                               const std::vector<State>& states, bool world);
/// MuJoCo and KDL get the bodies of our model (their URDF readers ask for meshes or refuse a root with inertia). Null where
/// the library cannot take the robot.
std::unique_ptr<Contender> mujoco_contender(const sparsedyn::Model& model, const std::vector<State>& states);
std::unique_ptr<Contender> kdl_contender(const sparsedyn::Model& model, const std::vector<State>& states);

}  // namespace peers
