// External wrenches as inputs of a recorded algorithm.
#pragma once

#include "codegen/minimal/minimal_formulation.hpp"

namespace sparsedyn {

/// The wrenches on all links that move are the input `fx`, six numbers a link, as in logs. The algorithms take one a body.
class WrenchInputs {
 public:
  /// Of zero, and no input, unless `given`.
  WrenchInputs(Recorder& recorder, const Model& model, const MinimalFormulation& f, bool given);
  /// In the frames of the minimal tree, or of the Model where it has none; nullptr for zero.
  const Force<Expr>* on_bodies() const { return on_bodies_.empty() ? nullptr : on_bodies_.data(); }

 private:
  std::vector<Force<Expr>> on_bodies_;
};

}  // namespace sparsedyn
