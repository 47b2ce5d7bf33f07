// With T the changes along the tangent for changes of coordinates at x, and C those of coordinates for changes along the
// tangent at x⁺, the Jacobian is C J T. λᵀ∂²x⁺ is that of the step along the tangent at λᵀC, with the curvature of q⁺ ⊕ δ, then
// by the coordinates of x.
#include "stage_by_coordinates.hpp"

#include <algorithm>

#include "codegen/differentiate/joint_tangent.hpp"
#include "codegen/programs/catalogue_programs.hpp"
#include "codegen/stage/semi_implicit_stage.hpp"

namespace sparsedyn {
namespace {

/// C J T, nq + nv rows.
ExprMatrix by_coordinates(const Model& model, const ExprVector& q, const ExprVector& next, const ExprMatrix& J) {
  const auto nv = place(model.nv), nq = place(model.nq);
  ExprMatrix made(nq + nv, ExprVector(J.front().size()));
  for (std::size_t c = 0; c < J.front().size(); ++c) {
    ExprVector along(nv);
    for (std::size_t r = 0; r < nv; ++r) along[r] = J[r][c], made[nq + r][c] = J[nv + r][c];
    const ExprVector moved = coordinate_changes(model, next, along);
    for (std::size_t r = 0; r < nq; ++r) made[r][c] = moved[r];
  }
  for (ExprVector& row : made) row = coordinate_gradient(model, q, row);
  return made;
}

}  // namespace

Program stage_by_coordinates(const Model& model, const std::vector<std::string>& outputs,
                             const std::vector<std::string>& links) {
  const auto asks = [&](const char* name) { return std::find(outputs.begin(), outputs.end(), name) != outputs.end(); };
  const bool jacobian = asks("A") || asks("B") || asks("T"), multiplied = asks("g") || asks("H");
  const MinimalFormulation f = formulation_for(model, "aba-derivatives", nullptr);
  return program_in(model, f, [&](Recorder& recorder, const Model& recorded, const MinimalFormulation& chosen) {
    StageInputs in(recorder, recorded, multiplied ? Multipliers::coordinates : Multipliers::none, true, links);
    SemiImplicitStage stage(recorded, chosen, in, true);
    const std::size_t nq = in.q.size(), x = nq + in.n();
    const ExprVector next = stage.next();
    if (multiplied) {
      const ExprVector lambda = in.lambda;
      stage.multiply_coordinates(lambda);
      in.lambda = tangent_slopes(recorded, next, lambda);
      in.lambda.insert(in.lambda.end(), lambda.begin() + static_cast<std::ptrdiff_t>(nq), lambda.end());
    }
    if (jacobian) {
      const ExprMatrix J = by_coordinates(recorded, in.q, next, stage.jacobian());
      if (asks("A")) output_block(recorder, "A", J, 0, x);
      if (asks("B")) output_block(recorder, "B", J, x, in.controls);
      if (asks("T")) output_block(recorder, "T", J, x + in.controls, 1);
    }
    if (!multiplied) return;
    const ExprVector g = stage.gradient();
    if (asks("g")) output_gradient(recorder, coordinate_gradient(recorded, in.q, g));
    if (asks("H")) output_hessian(recorder, coordinate_hessian(recorded, in.q, g, stage.hessian()));
  });
}

}  // namespace sparsedyn
