// The joint-space inertia matrix and its inverse.
#pragma once

#include "algorithm_type.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"

namespace sparsedyn::catalogue {

struct Crba : AlgorithmDefaults {
  static constexpr const char *name = "crba", *summary = "joint-space inertia matrix: q -> M";
  static constexpr AlgorithmReads reads = of_configuration;
  static std::vector<AlgorithmOutput> outputs() { return {{"M", matrix()}}; }
  static AlgorithmColumns columns(const Model& model) { return matrix_columns({"M"}, model.nv, model.nv); }
  template <class S>
  static int evaluate(AlgorithmData<S>& data, const AlgorithmInputs<S>& in, S* const* out) {
    crba(data.model, data.basic, in.q, out[0]);
    return -1;
  }
};

struct Minverse : AlgorithmDefaults {
  static constexpr const char *name = "minverse", *summary = "inverse of the joint-space inertia matrix: q -> Minv",
                              *singular = "M is singular at ";
  static constexpr AlgorithmReads reads = of_configuration;
  static std::vector<AlgorithmOutput> outputs() { return {{"Minv", matrix()}}; }
  static AlgorithmColumns columns(const Model& model) { return matrix_columns({"Minv"}, model.nv, model.nv); }
  template <class S>
  static int evaluate(AlgorithmData<S>& data, const AlgorithmInputs<S>& in, S* const* out) {
    return minverse(data.model, data.basic, in.q, out[0]).singular;
  }
};

}  // namespace sparsedyn::catalogue
