// λᵀ ∂²a at an answer of ConstrainedDynamics, from its first derivatives: what @_curve does in generated code
// (curvature_text.cpp), here with the stages of contact_curvature.hpp and loop_curvature.hpp evaluated without a compiler.
// With G the second derivative of μᵀF by x = (q, v, a) at constant μ, and A = ∂a/∂θ,
//   H = G_xx + G_xa A + (G_xa A)ᵀ + Aᵀ G_aa A + what forces of loops add (loop_curvature.hpp).
// With multipliers η of the forces that of λᵀa + ηᵀf: w − η takes the place of w (contact_curvature.hpp,
// force_multipliers.hpp).
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "codegen/contacts/loops/loop_rows.hpp"
#include "constraints/derivatives/constraint_answer.hpp"
#include "constraints/derivatives/contact_bend.hpp"
#include "evaluated_stage.hpp"
#include "force_multipliers.hpp"
#include "shared_forces.hpp"
#include "sparsedyn/dynamics/second_derivatives.hpp"

namespace sparsedyn {

/// All memory is taken by the constructor.
class CurvedAnswer {
 public:
  CurvedAnswer(const Model& model, const std::vector<RowBlock>& blocks);

  struct State {
    const double *q, *v;
    const Force<double>* fx;
    const double *lambda, *eta;  // eta: of the forces as they are written, or nullptr
  };
  /// H: 3nv × 3nv. False if it is not finite. Of `first` a and ∂a/∂(q, v, τ) are read.
  bool bend(const ConstraintAnswer& at, const State& state, const ConstraintDerivatives& first, double* H) noexcept;

 private:
  /// A contact along its directions.
  struct Touch {
    bool counts = false;
    int n = 0;
    LawBend bend{};
    std::array<double, 36> h{};
  };
  void start(const ConstraintAnswer& at, const State& state, const ConstraintDerivatives& first) noexcept;
  void bend_robot(const State& state, const double* a) noexcept;
  bool meet_contacts(const ConstraintAnswer& at) noexcept;
  void meet_contact(const ConstraintAnswer& at, std::size_t block, const double* w, Touch& touch, double* on) noexcept;
  bool meet_loops(const ConstraintAnswer& at, const State& state) noexcept;
  void meet_loop(const ConstraintAnswer& at, const RowBlock& b, const RowBlockState& s, std::size_t number, double* loops,
                 double* bends) noexcept;
  void add_constraints() noexcept;
  void add_contact(const Touch& touch, const double* slopes) noexcept;
  void add_stops(const ConstraintAnswer& at) noexcept;
  bool meet_moments(const ConstraintAnswer& at, const State& state) noexcept;
  void add_loop_forces(const ConstraintAnswer& at) noexcept;
  bool assemble(double* H) noexcept;
  double& G(std::size_t i, std::size_t k) noexcept { return G_[i * 3 * n_ + k]; }
  void add_both(std::size_t i, std::size_t k, double x) noexcept { G(i, k) += x, G(k, i) += x; }

  const Model& model_;
  std::size_t n_, width_;  // nv; numbers in a row of touch_slopes
  Workspace<double> ws_;
  ContractionWorkspace<double> contraction_;
  std::vector<LoopPlace> places_;
  std::optional<EvaluatedStage> curvature_, slopes_, turns_, moments_;
  std::vector<Touch> touches_;                // by contact
  std::vector<double> qq_, qv_, vv_, Mq_;     // of inverse dynamics
  std::vector<double> mu_, G_, A_, W_, row_;  // nv; 3nv × 3nv; nv × 3nv; 3nv × 3nv; 3nv
  std::vector<double> loop_w_;                // of the loops' rows
  ForceMultipliers eta_;
  std::optional<SharedForces> shared_;
};

}  // namespace sparsedyn
