#include "algorithm.hpp"

namespace sparsedyn::cli {

const std::vector<const Algorithm*>& algorithms() {
  static const std::vector<const Algorithm*> all{&rnea_algorithm,
                                                 &aba_algorithm,
                                                 &crba_algorithm,
                                                 &minverse_algorithm,
                                                 &rnea_derivatives_algorithm,
                                                 &aba_derivatives_algorithm,
                                                 &rnea_second_derivatives_algorithm,
                                                 &aba_second_derivatives_algorithm,
                                                 &coriolis_algorithm,
                                                 &christoffel_algorithm,
                                                 &hamilton_algorithm,
                                                 &regressor_algorithm,
                                                 &contact_dynamics_algorithm,
                                                 &contact_inverse_dynamics_algorithm,
                                                 &contact_derivatives_algorithm,
                                                 &kinematics_algorithm,
                                                 &inverse_kinematics_algorithm,
                                                 &energy_algorithm,
                                                 &momentum_algorithm};
  return all;
}

}  // namespace sparsedyn::cli
