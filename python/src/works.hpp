// What the algorithms keep for one robot and thread. Each part is made when the first call needs it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "packed.hpp"
#include "sparsedyn/constraints/constrained_dynamics.hpp"
#include "sparsedyn/dynamics/coriolis.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/dynamics/regressor.hpp"
#include "sparsedyn/dynamics/second_derivatives.hpp"

namespace sparsedyn::python {

class Works {
 public:
  explicit Works(const Model& m) : model(m), basic(m), q(static_cast<std::size_t>(m.nq)), wrenches(m.bodies.size()) {
    for (const Body& body : m.bodies) quaternions |= quaternion_offset(body.joint) >= 0;
  }

  const Model& model;
  Workspace<double> basic;
  std::vector<double> q;                // with quaternions of unit length
  std::vector<Force<double>> wrenches;  // by body
  bool quaternions = false;             // q has some
  std::string why;                      // what the last evaluation failed at, where that is no entry of v

  MomentWorkspace<double>& moments() { return made(moments_); }
  CoriolisWorkspace<double>& coriolis() { return made(coriolis_); }
  AbaDerivativeWorkspace<double>& aba_derivatives() { return made(aba_derivatives_); }
  SecondWorkspace<double>& second() { return made(second_); }
  SecondDerivatives<double>& second_values() { return made(second_values_); }
  ContractionWorkspace<double>& contraction() { return made(contraction_); }
  AbaSecondWorkspace<double>& aba_second() { return made(aba_second_); }
  AbaContractionWorkspace<double>& aba_contraction() { return made(aba_contraction_); }
  RegressorWorkspace<double>& regressor() { return made(regressor_); }
  /// For several samples at a time, or null.
  PackedWorks* packed() {
    if (!asked_for_packed_) packed_ = packed_works(model);
    asked_for_packed_ = true;
    return packed_.get();
  }
  /// Of the set that the call is about, under these effort limits; kept until others come.
  ConstrainedDynamics& constrained(const std::shared_ptr<const ConstraintSet>& set, const std::vector<double>& effort_limits) {
    if (constraints_ != set || limits_.effort_limits != effort_limits) {
      limits_.effort_limits = effort_limits;
      constrained_ = std::make_unique<ConstrainedDynamics>(model, *set, limits_);
      constraints_ = set;
    }
    return *constrained_;
  }
  /// nv and three nv × nv, for results that are not asked for.
  double* first_derivatives() {
    first_.resize(static_cast<std::size_t>(model.nv) * (3 * static_cast<std::size_t>(model.nv) + 1));
    return first_.data();
  }

 private:
  template <class Part>
  Part& made(std::unique_ptr<Part>& part) {
    if (!part) part = std::make_unique<Part>(model);
    return *part;
  }
  std::unique_ptr<MomentWorkspace<double>> moments_;
  std::unique_ptr<CoriolisWorkspace<double>> coriolis_;
  std::unique_ptr<AbaDerivativeWorkspace<double>> aba_derivatives_;
  std::unique_ptr<SecondWorkspace<double>> second_;
  std::unique_ptr<SecondDerivatives<double>> second_values_;
  std::unique_ptr<ContractionWorkspace<double>> contraction_;
  std::unique_ptr<AbaSecondWorkspace<double>> aba_second_;
  std::unique_ptr<AbaContractionWorkspace<double>> aba_contraction_;
  std::unique_ptr<RegressorWorkspace<double>> regressor_;
  std::unique_ptr<ConstrainedDynamics> constrained_;
  std::shared_ptr<const ConstraintSet> constraints_;
  ConstraintOptions limits_;
  std::unique_ptr<PackedWorks> packed_;
  bool asked_for_packed_ = false;
  std::vector<double> first_;
};

}  // namespace sparsedyn::python
