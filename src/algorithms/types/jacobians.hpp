// Jacobians of all links in the links' own axes, and their rates.
#pragma once

#include "algorithm_type.hpp"
#include "sparsedyn/dynamics/jacobians.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"

namespace sparsedyn::catalogue {

/// NAME.LINK.i.j of an output of links × 6 × nv.
inline AlgorithmColumns columns_by_link(const char* kind, const Model& model) {
  AlgorithmColumns columns;
  for (const Link& link : model.links)
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < model.nv; ++j)
        columns.push_back({std::string(kind) + "." + link.name + "." + std::to_string(i) + "." + std::to_string(j), 0,
                           static_cast<int>(columns.size())});
  return columns;
}

struct Jacobians : AlgorithmDefaults {
  static constexpr const char *name = "jacobians",
                              *summary = "J of all links, velocity = J dq in the link's axes, angular rows first: q -> J";
  static constexpr AlgorithmReads reads = of_configuration;
  static std::vector<AlgorithmOutput> outputs() { return {{"J", {Axis::links, Axis::six, Axis::nv}}}; }
  static AlgorithmColumns columns(const Model& model) { return columns_by_link("J", model); }
  template <class S>
  static int evaluate(AlgorithmData<S>& data, const AlgorithmInputs<S>& in, S* const* out) {
    forward_kinematics(data.model, data.basic, in.q, static_cast<const S*>(nullptr), static_cast<const S*>(nullptr));
    for (int i = 0; i < size_of(Axis::links, data.model); ++i)
      link_jacobian(data.model, data.basic, i, Axes::link, out[0] + 6 * data.model.nv * i);
    return -1;
  }
};

struct JacobianRates : AlgorithmDefaults {
  static constexpr const char *name = "jacobian-rates", *summary = "their rates along dq: q, dq -> dJ";
  static constexpr AlgorithmReads reads = of_motion;
  static std::vector<AlgorithmOutput> outputs() { return {{"dJ", {Axis::links, Axis::six, Axis::nv}}}; }
  static AlgorithmColumns columns(const Model& model) { return columns_by_link("dJ", model); }
  template <class S>
  static int evaluate(AlgorithmData<S>& data, const AlgorithmInputs<S>& in, S* const* out) {
    forward_kinematics(data.model, data.basic, in.q, in.dq, static_cast<const S*>(nullptr));
    for (int i = 0; i < size_of(Axis::links, data.model); ++i)
      point_jacobian_rate(data.model, data.basic, i, Axes::link, zero3<double>(), out[0] + 6 * data.model.nv * i);
    return -1;
  }
};

}  // namespace sparsedyn::catalogue
