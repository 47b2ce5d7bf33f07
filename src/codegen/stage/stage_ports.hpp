// Inputs and outputs of a program of one step of time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "forward_curvature.hpp"
#include "link_forces.hpp"
#include "sparsedyn/codegen/recorder.hpp"

namespace sparsedyn {

/// By what a step's results are multiplied: changes along the tangent, 2nv numbers, or coordinates, nq + nv.
enum class Multipliers : char { none, tangent, coordinates };

/// x, u, dt (if `timed`; else zero and no input) and, if asked for, lambda. Derivatives are by z = (δq, v, u, dt). u holds the
/// joints' torques, then forces on links, if any are named: on their origins, in the world's axes.
struct StageInputs {
  StageInputs(Recorder& recorder, const Model& model, Multipliers multipliers, bool timed = true,
              const std::vector<std::string>& links = {});
  std::size_t n() const { return v.size(); }
  /// Of z.
  std::size_t size() const { return 2 * n() + controls + 1; }

  /// Torques that are inputs.
  std::size_t motors() const { return controls - (forces ? forces->count() : 0); }

  ExprVector q, v, tau, lambda;  // tau: nv, with what the forces on links do; without these zero at a free base
  Expr dt;
  std::size_t controls;  // of u
  std::shared_ptr<const LinkForces> forces;
};

/// A gradient by (q, v, τ) as a derivative by z.
ExprVector by_z(const StageInputs& in, const RecordedForward::Gradient& of);
/// A lower triangle by (q, v, τ) as one by (δq, v, u), without the curvature of forces on links.
ExprMatrix by_z(const StageInputs& in, const ExprMatrix& of);

/// x_next, nq + nv.
void output_next(Recorder& recorder, const Model& model, const ExprVector& next);
/// xdot, 2nv: v, then a.
void output_rate(Recorder& recorder, const Model& model, const StageInputs& in, const ExprVector& a);
/// Columns of J as a matrix, row by row.
void output_block(Recorder& recorder, const std::string& name, const ExprMatrix& J, std::size_t first, std::size_t columns);
/// Of ∂x⁺/∂z, 2nv rows, those of A, B and T that are asked for.
void output_jacobians(Recorder& recorder, const Model& model, const StageInputs& in, const std::vector<std::string>& asked,
                      const ExprMatrix& J);
void output_gradient(Recorder& recorder, const ExprVector& g);
/// Of a lower triangle the entries that are not zero by their symbols.
void output_hessian(Recorder& recorder, const ExprMatrix& H);

}  // namespace sparsedyn
