// Inverse and forward dynamics, and the parts of inverse dynamics.
#pragma once

#include "algorithm_type.hpp"
#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/dynamics/rnea.hpp"

namespace sparsedyn {

/// Compiled with the flags of the whole recursions (src/dynamics/rnea.cpp): elsewhere poses go through memory.
extern template void gravity_torques(const Model&, Workspace<double>&, const double*, double*) noexcept;

}  // namespace sparsedyn

namespace sparsedyn::catalogue {

/// Algorithms that give torques.
struct Torques : AlgorithmDefaults {
  static std::vector<AlgorithmOutput> outputs() { return {{"tau", vector()}}; }
  static AlgorithmColumns columns(const Model& model) { return vector_columns("tau", force_names(model)); }
};

struct Rnea : Torques {
  static constexpr const char *name = "rnea", *summary = "inverse dynamics: q, dq, ddq, fx -> tau";
  static constexpr AlgorithmReads reads = of_inverse_dynamics;
  template <class S>
  static int evaluate(AlgorithmData<S>& data, const AlgorithmInputs<S>& in, S* const* out) {
    rnea(data.model, data.basic, in.q, in.dq, in.ddq, in.fx, out[0]);
    return -1;
  }
};

struct Aba : AlgorithmDefaults {
  static constexpr const char *name = "aba", *summary = "forward dynamics: q, dq, tau, fx -> ddq";
  static constexpr AlgorithmReads reads = of_forward_dynamics;
  static std::vector<AlgorithmOutput> outputs() { return {{"ddq", vector()}}; }
  static AlgorithmColumns columns(const Model& model) { return vector_columns("ddq", velocity_names(model)); }
  template <class S>
  static int evaluate(AlgorithmData<S>& data, const AlgorithmInputs<S>& in, S* const* out) {
    return aba(data.model, data.basic, in.q, in.dq, in.tau, in.fx, out[0]).singular;
  }
};

struct Bias : Torques {
  static constexpr const char *name = "bias", *summary = "torques at ddq = 0: q, dq, fx -> tau";
  static constexpr AlgorithmReads reads{true, false, false, true, false};
  template <class S>
  static int evaluate(AlgorithmData<S>& data, const AlgorithmInputs<S>& in, S* const* out) {
    bias_forces(data.model, data.basic, in.q, in.dq, in.fx, out[0]);
    return -1;
  }
};

struct Gravity : Torques {
  static constexpr const char *name = "gravity", *summary = "torques at dq = ddq = 0: q -> tau";
  static constexpr AlgorithmReads reads = of_configuration;
  template <class S>
  static int evaluate(AlgorithmData<S>& data, const AlgorithmInputs<S>& in, S* const* out) {
    gravity_torques(data.model, data.basic, in.q, out[0]);
    return -1;
  }
};

}  // namespace sparsedyn::catalogue
