// External wrenches as inputs of a recorded algorithm.
#pragma once

#include "codegen/minimal/minimal_formulation.hpp"

namespace sparsedyn {

/// Declares the input `fx`: the wrenches on all links that move, six numbers a link, named as in logs. An algorithm takes one
/// wrench for each body, so wrenches on links of one body are added up.
class WrenchInputs {
 public:
  /// No such input: all wrenches are zero.
  WrenchInputs() = default;
  /// Where `given` is false there is no such input, and all wrenches are zero.
  WrenchInputs(Recorder& recorder, const Model& model, const MinimalFormulation& f, bool given);
  /// One wrench a body, in its frame of the minimal tree, or of the Model where it has no such tree; nullptr: all are zero.
  const Force<Expr>* on_bodies() const { return on_bodies_.empty() ? nullptr : on_bodies_.data(); }

 private:
  std::vector<Force<Expr>> on_bodies_;
};

}  // namespace sparsedyn
