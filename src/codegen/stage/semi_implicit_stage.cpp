// With Z the derivatives of (q, v, a, dt) by z,
//   ∂x⁺ = ∂S Z,     λᵀ∂²x⁺ = Zᵀ (λᵀ∂²S) Z + (λᵀ ∂S/∂a) ∂²a:
// Hessians of the joints' own steps, and one contraction of forward dynamics.
#include "semi_implicit_stage.hpp"

#include <algorithm>

#include "codegen/differentiate/joint_tangent.hpp"

namespace sparsedyn {

SemiImplicitStage::SemiImplicitStage(const Model& model, const MinimalFormulation& f, const StageInputs& in, bool derivatives)
    : model_(model), in_(in) {
  if (derivatives) forward_.emplace(model, f, in.q, in.v, in.tau);
  const ExprVector a = forward_ ? forward_->acceleration() : forward_dynamics(model, f, in.q, in.v, in.tau, WrenchInputs());
  for (const Body& body : model.bodies) steps_.push_back(semi_implicit_joint_step(body, in.q, in.v, a, in.dt));
}

ExprVector SemiImplicitStage::next() const {
  ExprVector next(in_.q.size() + in_.n());
  for (std::size_t b = 0; b < steps_.size(); ++b) {
    const Body& body = model_.bodies[b];
    std::copy(steps_[b].q.begin(), steps_[b].q.end(), next.begin() + body.q);
    for (std::size_t k = 0; k < freedoms_of(b); ++k) next[in_.q.size() + place(body.v) + k] = steps_[b].v[k].value();
  }
  return next;
}

void SemiImplicitStage::multiply_coordinates(const ExprVector& lambda) {
  const ExprVector q = next();
  bends_.clear();
  for (std::size_t b = 0; b < steps_.size(); ++b) {
    const ExprMatrix curved = move_curvature(model_.bodies[b], q, lambda);
    bends_.emplace_back(curved.size(), ExprVector(variables(b)));
    for (std::size_t r = 0; r < curved.size(); ++r)
      for (std::size_t s = 0; s < curved.size(); ++s)
        for (std::size_t k = 0; k < variables(b); ++k) bends_[b][r][k] += curved[r][s] * steps_[b].change[s].slope(k);
  }
}

/// The entry of z that is this variable of a joint, no acceleration.
std::size_t SemiImplicitStage::direct(std::size_t b, std::size_t k) const {
  const std::size_t m = freedoms_of(b), v = place(model_.bodies[b].v);
  return k == 3 * m ? in_.size() - 1 : k < m ? v + k : in_.n() + v + k - m;
}

/// The entry of a.
std::size_t SemiImplicitStage::acceleration(std::size_t b, std::size_t k) const {
  return place(model_.bodies[b].v) + k - 2 * freedoms_of(b);
}

/// Σ λ f(result) over a joint's results.
template <class F>
Expr SemiImplicitStage::multiplied(std::size_t b, F&& f) const {
  Expr sum;
  const std::size_t v = place(model_.bodies[b].v);
  for (std::size_t k = 0; k < freedoms_of(b); ++k)
    sum += in_.lambda[v + k] * f(steps_[b].change[k]) + in_.lambda[in_.n() + v + k] * f(steps_[b].v[k]);
  return sum;
}

/// λᵀ ∂S/∂a.
ExprVector SemiImplicitStage::by_acceleration() const {
  ExprVector by_a(in_.n());
  for (std::size_t b = 0; b < steps_.size(); ++b)
    for (std::size_t k = 2 * freedoms_of(b); k < 3 * freedoms_of(b); ++k)
      by_a[acceleration(b, k)] = multiplied(b, [&](const LocalJet& x) { return x.slope(k); });
  return by_a;
}

/// ∂a_k/∂z.
ExprVector SemiImplicitStage::slopes_of_acceleration(std::size_t k) const {
  if (!rows_.empty()) return by_z(in_, rows_[k]);
  ExprVector unit(in_.n());
  unit[k] = Expr(1.0);
  return by_z(in_, forward_->gradient(unit));
}

/// row += x ∂(variable k of the joint)/∂z.
void SemiImplicitStage::add_by_z(std::size_t b, std::size_t k, const Expr& x, ExprVector& row) const {
  if (is_zero(x)) return;
  if (!is_acceleration(b, k)) {
    row[direct(b, k)] += x;
    return;
  }
  const ExprVector through = slopes_of_acceleration(acceleration(b, k));
  for (std::size_t c = 0; c < in_.size(); ++c) row[c] += x * through[c];
}

ExprMatrix SemiImplicitStage::jacobian() {
  rows_ = forward_->rows();
  ExprMatrix J(2 * in_.n(), ExprVector(in_.size()));
  for (std::size_t b = 0; b < steps_.size(); ++b)
    for (std::size_t k = 0; k < variables(b); ++k)
      for (std::size_t r = 0; r < freedoms_of(b); ++r)
        for (const auto& [x, at] : {std::pair(&steps_[b].change[r], std::size_t{0}), {&steps_[b].v[r], in_.n()}})
          add_by_z(b, k, x->slope(k), J[at + place(model_.bodies[b].v) + r]);
  return J;
}

ExprVector SemiImplicitStage::gradient() const {
  ExprVector g = by_z(in_, forward_->gradient(by_acceleration()));
  for (std::size_t b = 0; b < steps_.size(); ++b)
    for (std::size_t k = 0; k < variables(b); ++k)
      if (!is_acceleration(b, k)) g[direct(b, k)] += multiplied(b, [&](const LocalJet& x) { return x.slope(k); });
  return g;
}

ExprMatrix SemiImplicitStage::hessian() const {
  ExprMatrix H(in_.size(), ExprVector(in_.size()));
  add_forward(H);
  ExprVector with_dt(in_.n());
  for (std::size_t b = 0; b < steps_.size(); ++b) add_own(b, H, with_dt);
  const ExprVector row = by_z(in_, forward_->gradient(with_dt));
  for (std::size_t c = 0; c < in_.size(); ++c) H.back()[c] += row[c];  // dt changes no acceleration: row ends with 0
  return H;
}

/// λᵀ∂²S by two variables of a joint.
Expr SemiImplicitStage::curvature(std::size_t b, std::size_t i, std::size_t k) const {
  Expr sum = multiplied(b, [&](const LocalJet& x) { return x.curvature(i, k); });
  for (std::size_t r = 0; !bends_.empty() && r < bends_[b].size(); ++r) sum += steps_[b].change[r].slope(i) * bends_[b][r][k];
  return sum;
}

/// λᵀ∂²S/∂a∂a of the joint at the root; empty where it is zero.
ExprMatrix SemiImplicitStage::root_curvature() const {
  if (!at_root(0)) return {};
  const std::size_t m = freedoms_of(0);
  ExprMatrix K(m, ExprVector(m));
  bool any = false;
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t k = 0; k < m; ++k) K[i][k] = curvature(0, 2 * m + i, 2 * m + k), any = any || !is_zero(K[i][k]);
  return any ? K : ExprMatrix();
}

/// (λᵀ ∂S/∂a) ∂²a, that of forces on links too, and ∂aᵀ (λᵀ∂²S/∂a∂a) ∂a of the joint at the root.
void SemiImplicitStage::add_forward(ExprMatrix& H) const {
  const ExprMatrix a = by_z(in_, forward_->curvature(by_acceleration(), root_curvature()));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t k = 0; k <= i; ++k) H[i][k] += a[i][k];
  if (!in_.forces) return;
  const ExprMatrix tau = in_.forces->curvature(forward_->gradient(by_acceleration()).tau);
  const auto at = [&](std::size_t k) { return k < in_.n() ? k : in_.n() + in_.motors() + k; };
  for (std::size_t i = 0; i < tau.size(); ++i)
    for (std::size_t k = 0; k <= i; ++k) H[at(i)][at(k)] += tau[i][k];
}

/// Zᵀ (λᵀ∂²S) Z of one joint, without what add_forward adds. What accelerations and dt do together is added to `with_dt`,
/// λᵀ∂²S/∂dt∂a.
void SemiImplicitStage::add_own(std::size_t b, ExprMatrix& H, ExprVector& with_dt) const {
  const std::size_t m = freedoms_of(b), dt = 3 * m;
  for (std::size_t i = 0; i < variables(b); ++i)
    for (std::size_t k = 0; k <= i; ++k)
      if (!is_acceleration(b, i) && !is_acceleration(b, k))
        H[std::max(direct(b, i), direct(b, k))][std::min(direct(b, i), direct(b, k))] += curvature(b, i, k);
  for (std::size_t i = 2 * m; i < 3 * m; ++i) {
    with_dt[acceleration(b, i)] += curvature(b, i, dt);
    add_product(acceleration(b, i), met(b, i), H);
  }
}

/// What ∂a_i/∂z is multiplied with, each two once: accelerations behind it, changes and velocities.
ExprVector SemiImplicitStage::met(std::size_t b, std::size_t i) const {
  ExprVector sum(in_.size());
  for (std::size_t k = 0; k < 3 * freedoms_of(b); ++k) {
    if (is_acceleration(b, k) && (k < i || at_root(b))) continue;
    add_by_z(b, k, i == k ? Expr(0.5) * curvature(b, i, k) : curvature(b, i, k), sum);
  }
  return sum;
}

/// row sumᵀ + sum rowᵀ of an acceleration's row, the lower triangle.
void SemiImplicitStage::add_product(std::size_t k, const ExprVector& sum, ExprMatrix& H) const {
  if (std::all_of(sum.begin(), sum.end(), is_zero)) return;
  const ExprVector row = slopes_of_acceleration(k);
  for (std::size_t i = 0; i < in_.size(); ++i)
    for (std::size_t c = 0; c <= i; ++c) H[i][c] += row[i] * sum[c] + sum[i] * row[c];
}

}  // namespace sparsedyn
