// What the algorithms keep for one robot and thread. Each part is made when the first call needs it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "packed.hpp"
#include "sparsedyn/algorithms/algorithm.hpp"
#include "sparsedyn/codegen/contact_second_derivatives.hpp"
#include "sparsedyn/constraints/constrained_dynamics.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"

namespace sparsedyn::python {

class Works {
 public:
  explicit Works(const Model& m) : model(m), data(m), q(static_cast<std::size_t>(m.nq)), wrenches(m.bodies.size()) {
    for (const Body& body : m.bodies) quaternions |= quaternion_offset(body.joint) >= 0;
  }

  const Model& model;
  AlgorithmData<double> data;
  Workspace<double>& basic = data.basic;
  std::vector<double> q;                // with quaternions of unit length
  std::vector<Force<double>> wrenches;  // by body
  bool quaternions = false;             // q has some
  std::string why;                      // what the last evaluation failed at, where that is no entry of v

  /// For several samples at a time, or null.
  PackedWorks* packed() {
    if (!asked_for_packed_) packed_ = packed_works(model);
    asked_for_packed_ = true;
    return packed_.get();
  }
  /// Of the set that the call is about, under these effort limits; kept until others come.
  /// @{
  ConstrainedDynamics& constrained(const std::shared_ptr<const ConstraintSet>& set, const std::vector<double>& effort_limits) {
    return constrained_.of(model, set, effort_limits);
  }
  ContactSecondDerivatives& second(const std::shared_ptr<const ConstraintSet>& set, const std::vector<double>& effort_limits) {
    return second_.of(model, set, effort_limits);
  }
  /// @}

 private:
  template <class Dynamics>
  class Kept {
   public:
    Dynamics& of(const Model& robot, const std::shared_ptr<const ConstraintSet>& set,
                 const std::vector<double>& effort_limits) {
      if (set_ != set || options_.effort_limits != effort_limits) {
        options_.effort_limits = effort_limits;
        dynamics_ = std::make_unique<Dynamics>(robot, *set, options_);
        set_ = set;
      }
      return *dynamics_;
    }

   private:
    std::unique_ptr<Dynamics> dynamics_;
    std::shared_ptr<const ConstraintSet> set_;
    ConstraintOptions options_;
  };

  Kept<ConstrainedDynamics> constrained_;
  Kept<ContactSecondDerivatives> second_;
  std::unique_ptr<PackedWorks> packed_;
  bool asked_for_packed_ = false;
};

}  // namespace sparsedyn::python
