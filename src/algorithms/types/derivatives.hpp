// First derivatives: matrices row by row, in the order of v, columns by q on the tangent space. Logs do not hold the values.
#pragma once

#include "algorithm_type.hpp"
#include "sparsedyn/dynamics/derivatives.hpp"

namespace sparsedyn::catalogue {

struct RneaFirst : AlgorithmDefaults {
  static constexpr const char *name = "rnea-derivatives",
                              *summary = "derivatives of inverse dynamics: q, dq, ddq, fx -> dtau_dq, dtau_dv, M = dtau_dddq";
  static constexpr AlgorithmReads reads = of_inverse_dynamics;
  static std::vector<AlgorithmOutput> outputs() {
    return {{"tau", vector()}, {"dtau_dq", matrix()}, {"dtau_dv", matrix()}, {"M", matrix()}};
  }
  static AlgorithmColumns columns(const Model& model) {
    return matrix_columns({"dtau_dq", "dtau_dv", "M"}, model.nv, model.nv, 1);
  }
  template <class S>
  static int evaluate(AlgorithmData<S>& data, const AlgorithmInputs<S>& in, S* const* out) {
    rnea_derivatives(data.model, data.moments(), in.q, in.dq, in.ddq, in.fx,
                     RneaDerivatives<S>{out[0], out[1], out[2], out[3]});
    return -1;
  }
};

struct AbaFirst : AlgorithmDefaults {
  static constexpr const char *name = "aba-derivatives",
                              *summary = "derivatives of forward dynamics: q, dq, tau, fx -> dddq_dq, dddq_dv, dddq_dtau";
  static constexpr AlgorithmReads reads = of_forward_dynamics;
  static std::vector<AlgorithmOutput> outputs() {
    return {{"ddq", vector()}, {"dddq_dq", matrix()}, {"dddq_dv", matrix()}, {"dddq_dtau", matrix()}};
  }
  static AlgorithmColumns columns(const Model& model) {
    return matrix_columns({"dddq_dq", "dddq_dv", "dddq_dtau"}, model.nv, model.nv, 1);
  }
  template <class S>
  static int evaluate(AlgorithmData<S>& data, const AlgorithmInputs<S>& in, S* const* out) {
    return aba_derivatives(data.model, data.aba_derivatives(), in.q, in.dq, in.tau, in.fx,
                           AbaDerivatives<S>{out[0], out[1], out[2], out[3]})
        .singular;
  }
};

}  // namespace sparsedyn::catalogue
