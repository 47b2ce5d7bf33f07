// The workspace of the catalogue's algorithms: one object for one robot and thread. Its parts are allocated when an algorithm
// first needs them.
#pragma once

#include <memory>
#include <vector>

#include "sparsedyn/dynamics/coriolis.hpp"
#include "sparsedyn/dynamics/derivatives.hpp"
#include "sparsedyn/dynamics/regressor.hpp"
#include "sparsedyn/dynamics/second_derivatives.hpp"
#include "sparsedyn/dynamics/workspace.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// An algorithm's first evaluation allocates its parts, later ones nothing. The model must outlive it.
template <class S>
class AlgorithmData {
 public:
  explicit AlgorithmData(const Model& m) : model(m), basic(m) {}

  const Model& model;
  Workspace<S> basic;  // of rnea, aba, crba, minverse, kinematics
  /// The others' workspaces.
  /// @{
  MomentWorkspace<S>& moments() { return made(moments_); }
  CoriolisWorkspace<S>& coriolis() { return made(coriolis_); }
  AbaDerivativeWorkspace<S>& aba_derivatives() { return made(aba_derivatives_); }
  SecondWorkspace<S>& second() { return made(second_); }
  SecondDerivatives<S>& second_values() { return made(second_values_); }
  ContractionWorkspace<S>& contraction() { return made(contraction_); }
  AbaSecondWorkspace<S>& aba_second() { return made(aba_second_); }
  AbaContractionWorkspace<S>& aba_contraction() { return made(aba_contraction_); }
  RegressorWorkspace<S>& regressor() { return made(regressor_); }
  /// @}
  /// nv and three nv × nv, for results that are not asked for.
  S* spare() {
    const auto n = static_cast<std::size_t>(model.nv);
    spare_.resize(n * (3 * n + 1));
    return spare_.data();
  }

 private:
  template <class Part>
  Part& made(std::unique_ptr<Part>& part) {
    if (!part) part = std::make_unique<Part>(model);
    return *part;
  }
  std::unique_ptr<MomentWorkspace<S>> moments_;
  std::unique_ptr<CoriolisWorkspace<S>> coriolis_;
  std::unique_ptr<AbaDerivativeWorkspace<S>> aba_derivatives_;
  std::unique_ptr<SecondWorkspace<S>> second_;
  std::unique_ptr<SecondDerivatives<S>> second_values_;
  std::unique_ptr<ContractionWorkspace<S>> contraction_;
  std::unique_ptr<AbaSecondWorkspace<S>> aba_second_;
  std::unique_ptr<AbaContractionWorkspace<S>> aba_contraction_;
  std::unique_ptr<RegressorWorkspace<S>> regressor_;
  std::vector<S> spare_;
};

}  // namespace sparsedyn
