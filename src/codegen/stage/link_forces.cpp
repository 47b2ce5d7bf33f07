// With s(q, w, f) = Σ fᵢ · vᵢ(q, w) the power at joint velocities w,
//   τ = ∂s/∂w,     ∂τ = ∂²s/∂w∂(δq, f),     wᵀ∂²τ = ∂²s/∂(δq, f)² at this w.
// The gradient of s is recorded once, backwards; its derivative along each direction is a column. Only what a direction moves
// is recorded: a leg's forces meet the base and the leg.
#include "link_forces.hpp"

#include <utility>

#include "codegen/differentiate/program_derivatives.hpp"
#include "codegen/differentiate/reverse_sweep.hpp"
#include "codegen/differentiate/tangent_move.hpp"
#include "codegen/ir/port_names.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"

namespace sparsedyn {
namespace {

/// ∂s/∂(δ, w, f) of inputs q, δ, w, f and times_s.
Program gradient_of_power(const Model& model, const std::vector<std::string>& links) {
  const Program power = recorded_apart([&](Recorder& recorder) {
    const auto n = static_cast<std::size_t>(model.nv);
    const ExprVector q = recorder.coordinates(model), delta = recorder.input("delta", numbered("delta", n)),
                     w = recorder.input("w", numbered("w", n)), f = recorder.input("f", numbered("f", 3 * links.size())),
                     at = tangent_move(model, q, delta);
    Workspace<Expr> work(model);
    forward_kinematics(model, work, at.data(), w.data(), static_cast<const Expr*>(nullptr));
    Expr sum(0.0);
    for (std::size_t k = 0; k < links.size(); ++k) {
      const int link = model.find_link(links[k]);
      const Vec3<Expr> velocity = link_pose(model, work, link).R * link_velocity(model, work, link).v;
      for (int i = 0; i < 3; ++i) sum += f[3 * k + static_cast<std::size_t>(i)] * velocity[i];
    }
    recorder.output("s", {"s"}, {sum});
  });
  return reverse_derivative(power).only({"slope_delta", "slope_w", "slope_f"});
}

enum PowerArgument : std::size_t { at_numbers, at_posture, at_move, at_velocity, at_forces, at_times };

PortValues power_arguments(const ExprVector& q, std::size_t n, const ExprVector& w, const ExprVector& f) {
  return {varying_values(), q, ExprVector(n, Expr(0.0)), w, f, {Expr(1.0)}};
}

}  // namespace

LinkForces::LinkForces(const Model& model, const std::vector<std::string>& links, const ExprVector& q, const ExprVector& f)
    : q_(q), f_(f), gradient_(gradient_of_power(model, links)), change_(forward_derivative(gradient_, 2)) {
  const ExprVector rest(static_cast<std::size_t>(model.nv), Expr(0.0));
  tau_ = ReplayedProgram(gradient_, power_arguments(q_, rest.size(), rest, f_)).results()[1];
}

/// For each direction of (δq, f) the change of τ, or of ∂s/∂(δq, f).
ExprMatrix LinkForces::changes(const ExprVector& w, bool of_power) const {
  const std::size_t n = tau_.size();
  const PortValues at = power_arguments(q_, n, w, f_);
  ExprMatrix columns;
  for (std::size_t d = 0; d < n + count(); ++d) {
    PortValues inputs = at;
    for (const ExprVector& x : at) inputs.emplace_back(x.size(), Expr(0.0));
    inputs[at.size() + (d < n ? at_move : at_forces)][d < n ? d : d - n] = Expr(1.0);
    PortValues moved = ReplayedProgram(change_, inputs).results();
    if (of_power) moved[0].insert(moved[0].end(), moved[2].begin(), moved[2].end());
    columns.push_back(std::move(moved[of_power ? 0 : 1]));
  }
  return columns;
}

const ExprMatrix& LinkForces::slopes() const {
  if (!slopes_.empty()) return slopes_;
  const ExprMatrix columns = changes(ExprVector(tau_.size(), Expr(0.0)), false);
  slopes_.assign(tau_.size(), ExprVector());
  for (const ExprVector& column : columns)
    for (std::size_t r = 0; r < column.size(); ++r) slopes_[r].push_back(column[r]);
  return slopes_;
}

ExprMatrix LinkForces::curvature(const ExprVector& w) const {
  ExprMatrix H = changes(w, true);
  for (std::size_t i = 0; i < H.size(); ++i) H[i].resize(i + 1);  // symmetric: columns are rows
  return H;
}

}  // namespace sparsedyn
