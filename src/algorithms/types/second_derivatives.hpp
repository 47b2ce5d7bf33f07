// Second derivatives: tensors, of which logs hold the entries that the tree allows; contracted with multipliers, matrices.
#pragma once

#include <algorithm>

#include "algorithm_type.hpp"
#include "sparsedyn/dynamics/second_derivatives.hpp"

namespace sparsedyn::catalogue {

/// Of inverse dynamics, on one branch; of forward dynamics, on one tree, where the fixed base has several.
inline const std::vector<const char*>& inverse_tensors() {
  static const std::vector<const char*> names{"d2tau_dqdq", "d2tau_dqdv", "d2tau_dvdv", "dM_dq"};
  return names;
}
inline const std::vector<const char*>& forward_tensors() {
  static const std::vector<const char*> names{"d2ddq_dqdq", "d2ddq_dqdv", "d2ddq_dvdv", "d2ddq_dqdtau"};
  return names;
}

inline std::vector<AlgorithmOutput> outputs_of(const std::vector<const char*>& names, const std::vector<Axis>& axes) {
  std::vector<AlgorithmOutput> outputs;
  for (const char* name : names) outputs.push_back({name, axes});
  return outputs;
}

struct SecondDerivativeDefaults : AlgorithmDefaults {
  static constexpr bool second_derivatives = true;
};

struct RneaContraction : SecondDerivativeDefaults {
  static constexpr const char *name = "rnea-second-derivatives", *summary = "";
  static constexpr AlgorithmReads reads = with_multipliers(of_inverse_dynamics);
  static std::vector<AlgorithmOutput> outputs() { return outputs_of(inverse_tensors(), matrix()); }
  static AlgorithmColumns columns(const Model& model) { return matrix_columns(inverse_tensors(), model.nv, model.nv); }
  template <class S>
  static int evaluate(AlgorithmData<S>& data, const AlgorithmInputs<S>& in, S* const* out) {
    rnea_contraction(data.model, data.contraction(), in.q, in.dq, in.ddq, in.fx, in.lambda,
                     Contraction<S>{out[0], out[1], out[2], out[3]});
    return -1;
  }
};

struct RneaSecond : SecondDerivativeDefaults {
  static constexpr const char *name = "rnea-second-derivatives",
                              *summary =
                                  "second derivatives of inverse dynamics, one entry a line: q, dq, ddq, fx -> "
                                  "d2tau_dqdq, d2tau_dqdv, d2tau_dvdv, dM_dq";
  static constexpr bool long_form = true;
  static constexpr AlgorithmReads reads = of_inverse_dynamics;
  using Contracted = RneaContraction;
  static std::vector<AlgorithmOutput> outputs() { return outputs_of(inverse_tensors(), tensor()); }
  static AlgorithmColumns columns(const Model& model) {
    AlgorithmColumns columns;
    const TensorIndex index(model.tree());
    for (int t = 0; t < 4; ++t)
      for_each_triple(model, index, [&](int a, int b, int c) {
        columns.push_back(tensor_column(inverse_tensors()[static_cast<std::size_t>(t)], t, model.nv, a, b, c));
      });
    return columns;
  }
  template <class S>
  static int evaluate(AlgorithmData<S>& data, const AlgorithmInputs<S>& in, S* const* out) {
    rnea_second_derivatives(data.model, data.second(), in.q, in.dq, in.ddq, in.fx, data.second_values());
    data.second_values().dense({out[0], out[1], out[2], out[3]});
    return -1;
  }
};

/// Torques and all their derivatives up to the second, by one call.
struct RneaWithDerivatives : SecondDerivativeDefaults {
  static constexpr const char *name = "rnea-with-derivatives",
                              *summary =
                                  "inverse dynamics and its derivatives up to the second: q, dq, ddq, fx -> tau, M, "
                                  "dtau_dq, dtau_dv, d2tau_dqdq, d2tau_dqdv, d2tau_dvdv, dM_dq";
  static constexpr AlgorithmReads reads = of_inverse_dynamics;
  static std::vector<AlgorithmOutput> outputs() {
    std::vector<AlgorithmOutput> all{{"tau", vector()}, {"M", matrix()}, {"dtau_dq", matrix()}, {"dtau_dv", matrix()}};
    for (const AlgorithmOutput& second : RneaSecond::outputs()) all.push_back(second);
    return all;
  }
  static AlgorithmColumns columns(const Model& model) {
    AlgorithmColumns second = RneaSecond::columns(model);
    for (AlgorithmColumn& column : second) column.output += 4;
    return vector_columns("tau", force_names(model)) + matrix_columns({"M", "dtau_dq", "dtau_dv"}, model.nv, model.nv, 1) +
           second;
  }
  template <class S>
  static int evaluate(AlgorithmData<S>& data, const AlgorithmInputs<S>& in, S* const* out) {
    rnea_derivatives(data.model, data.moments(), in.q, in.dq, in.ddq, in.fx,
                     RneaDerivatives<S>{out[0], out[2], out[3], out[1]});
    return RneaSecond::evaluate(data, in, out + 4);
  }
};

/// What both forms of forward dynamics have: first derivatives, which are not put out.
template <class S>
AbaDerivatives<S> first_of(AlgorithmData<S>& data) {
  const auto n = static_cast<std::size_t>(data.model.nv);
  S* a = data.spare();
  return {a, a + n, a + n + n * n, a + n + 2 * n * n};
}

struct AbaContraction : SecondDerivativeDefaults {
  static constexpr const char *name = "aba-second-derivatives", *summary = "";
  static constexpr AlgorithmReads reads = with_multipliers(of_forward_dynamics);
  static std::vector<AlgorithmOutput> outputs() { return outputs_of(forward_tensors(), matrix()); }
  static AlgorithmColumns columns(const Model& model) { return matrix_columns(forward_tensors(), model.nv, model.nv); }
  template <class S>
  static int evaluate(AlgorithmData<S>& data, const AlgorithmInputs<S>& in, S* const* out) {
    return aba_contraction(data.model, data.aba_contraction(), in.q, in.dq, in.tau, in.fx, in.lambda, first_of(data),
                           {out[0], out[1], out[2], out[3]})
        .singular;
  }
};

struct AbaSecond : SecondDerivativeDefaults {
  static constexpr const char *name = "aba-second-derivatives",
                              *summary =
                                  "second derivatives of forward dynamics, likewise: q, dq, tau, fx -> d2ddq_dqdq, "
                                  "d2ddq_dqdv, d2ddq_dvdv, d2ddq_dqdtau";
  static constexpr bool long_form = true;
  static constexpr AlgorithmReads reads = of_forward_dynamics;
  using Contracted = AbaContraction;
  static std::vector<AlgorithmOutput> outputs() { return outputs_of(forward_tensors(), tensor()); }
  static AlgorithmColumns columns(const Model& model) {
    const BranchRows rows(parent_freedoms(model));
    const auto root = [&](int x) { return rows.path(x)[0]; };
    AlgorithmColumns columns;
    for (int t = 0; t < 4; ++t)
      for (int a = 0; a < rows.n(); ++a)
        for (int b = 0; b < rows.n(); ++b)
          for (int c = 0; c < rows.n(); ++c)
            if (root(a) == root(b) && root(b) == root(c))
              columns.push_back(tensor_column(forward_tensors()[static_cast<std::size_t>(t)], t, model.nv, a, b, c));
    return columns;
  }
  template <class S>
  static int evaluate(AlgorithmData<S>& data, const AlgorithmInputs<S>& in, S* const* out) {
    return aba_second_derivatives(data.model, data.aba_second(), in.q, in.dq, in.tau, in.fx, first_of(data),
                                  {out[0], out[1], out[2], out[3]})
        .singular;
  }
};

/// Γ_ijk = ½ (∂M_ij/∂q_k + ∂M_ik/∂q_j − ∂M_jk/∂q_i) = ½ ∂²τ_i/∂v_j∂v_k, at any v, since τ holds Σ Γ_ijk v_j v_k.
struct Christoffel : SecondDerivativeDefaults {
  static constexpr const char *name = "christoffel",
                              *summary =
                                  "Christoffel symbols of the first kind, of a fixed base and joints of one freedom: "
                                  "q -> Gamma";
  static constexpr AlgorithmReads reads = of_configuration;
  static std::vector<AlgorithmOutput> outputs() { return {{"Gamma", tensor()}}; }
  static AlgorithmColumns columns(const Model& model) {
    AlgorithmColumns columns;
    for (int i = 0; i < model.nv; ++i)
      for (int j = 0; j < model.nv; ++j)
        for (int k = 0; k < model.nv; ++k) columns.push_back(tensor_column("Gamma", 0, model.nv, i, j, k));
    return columns;
  }
  /// The symbols are made of derivatives by coordinates, which rates of turns are not.
  static AlgorithmMisfit misfit(const Model& model) {
    for (const Joint& joint : model.joints)
      for (int body = joint.first_body; body < joint.first_body + joint.bodies; ++body)
        if (freedoms(model.bodies[static_cast<std::size_t>(body)].joint) > 1)
          return {"joint " + joint.name, "several freedoms in one", "a fixed base and joints of one freedom"};
    return {};
  }
  template <class S>
  static int evaluate(AlgorithmData<S>& data, const AlgorithmInputs<S>& in, S* const* out) {
    const int n = data.model.nv;
    S* const rest = data.spare();
    std::fill_n(rest, n, S(0.0));
    SecondDerivatives<S>& second = data.second_values();
    rnea_second_derivatives(data.model, data.second(), in.q, static_cast<const S*>(rest), static_cast<const S*>(rest),
                            static_cast<const Force<S>*>(nullptr), second);
    std::fill_n(out[0], n * n * n, S(0.0));
    for_each_triple(data.model, second.index(),
                    [&](int i, int j, int k) { out[0][(i * n + j) * n + k] = S(0.5) * second.vv(i, j, k); });
    return -1;
  }
};

}  // namespace sparsedyn::catalogue
