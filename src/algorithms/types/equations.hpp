// The equations of motion in other forms: by the Coriolis matrix, by momenta, linear in the parameters.
#pragma once

#include "algorithm_type.hpp"
#include "sparsedyn/dynamics/coriolis.hpp"
#include "sparsedyn/dynamics/momentum.hpp"
#include "sparsedyn/dynamics/regressor.hpp"

namespace sparsedyn::catalogue {

struct Coriolis : AlgorithmDefaults {
  static constexpr const char *name = "coriolis",
                              *summary = "Coriolis matrix, whose sum with its transpose is the rate of M: q, dq -> C";
  static constexpr AlgorithmReads reads = of_motion;
  static std::vector<AlgorithmOutput> outputs() { return {{"C", matrix()}}; }
  static AlgorithmColumns columns(const Model& model) { return matrix_columns({"C"}, model.nv, model.nv); }
  template <class S>
  static int evaluate(AlgorithmData<S>& data, const AlgorithmInputs<S>& in, S* const* out) {
    coriolis(data.model, data.coriolis(), in.q, in.dq, CoriolisMatrices<S>{out[0], data.spare()});
    return -1;
  }
};

struct Hamilton : AlgorithmDefaults {
  static constexpr const char *name = "hamilton",
                              *summary = "momenta p = M v, their rates, total energy: q, dq, tau, fx -> p, dp, energy";
  static constexpr AlgorithmReads reads = of_forward_dynamics;
  static std::vector<AlgorithmOutput> outputs() { return {{"p", vector()}, {"dp", vector()}, {"energy", {}}}; }
  static AlgorithmColumns columns(const Model& model) {
    const std::vector<std::string> names = velocity_names(model);
    return vector_columns("p", names) + vector_columns("dp", names, 1) + AlgorithmColumns{{"energy", 2, 0}};
  }
  template <class S>
  static int evaluate(AlgorithmData<S>& data, const AlgorithmInputs<S>& in, S* const* out) {
    hamilton(data.model, data.coriolis(), in.q, in.dq, in.tau, in.fx, out[0], out[1]);
    forward_kinematics(data.model, data.basic, in.q, in.dq, static_cast<const S*>(nullptr));
    *out[2] = kinetic_energy(data.model, data.basic, in.dq) + potential_energy(data.model, data.basic, in.q);
    return -1;
  }
};

struct Regressor : AlgorithmDefaults {
  static constexpr const char *name = "regressor",
                              *summary =
                                  "tau = Y times the parameters that `info --json` lists as parameter_names: q, dq, "
                                  "ddq -> Y";
  static constexpr AlgorithmReads reads = of_accelerated_motion;
  static std::vector<AlgorithmOutput> outputs() { return {{"Y", {Axis::nv, Axis::parameters}}}; }
  static AlgorithmColumns columns(const Model& model) {
    return matrix_columns({"Y"}, model.nv, size_of(Axis::parameters, model));
  }
  template <class S>
  static int evaluate(AlgorithmData<S>& data, const AlgorithmInputs<S>& in, S* const* out) {
    regressor(data.model, data.regressor(), in.q, in.dq, in.ddq, out[0]);
    return -1;
  }
};

/// Without forming Y: inverse dynamics of bodies that have the parameters π.
struct RegressorTimes : AlgorithmDefaults {
  static constexpr const char *name = "regressor-times", *summary = "tau = Y pi, without forming Y: q, dq, ddq, pi -> tau";
  static constexpr AlgorithmReads reads = with_parameters(of_accelerated_motion);
  static std::vector<AlgorithmOutput> outputs() { return {{"tau", vector()}}; }
  static AlgorithmColumns columns(const Model& model) { return vector_columns("tau", force_names(model)); }
  template <class S>
  static int evaluate(AlgorithmData<S>& data, const AlgorithmInputs<S>& in, S* const* out) {
    regressor_times(data.model, data.regressor(), in.q, in.dq, in.ddq, in.pi, out[0]);
    return -1;
  }
};

struct RegressorTransposedTimes : AlgorithmDefaults {
  static constexpr const char *name = "regressor-transposed-times",
                              *summary = "Y' lambda, without forming Y: q, dq, ddq, lambda -> Yt_lambda";
  static constexpr AlgorithmReads reads = with_multipliers(of_accelerated_motion);
  static std::vector<AlgorithmOutput> outputs() { return {{"Yt_lambda", {Axis::parameters}}}; }
  static AlgorithmColumns columns(const Model& model) { return vector_columns("Yt_lambda", parameter_names(model)); }
  template <class S>
  static int evaluate(AlgorithmData<S>& data, const AlgorithmInputs<S>& in, S* const* out) {
    regressor_transposed_times(data.model, data.regressor(), in.q, in.dq, in.ddq, in.lambda, out[0]);
    return -1;
  }
};

}  // namespace sparsedyn::catalogue
