// Accelerations of a robot whose loops are its only constraints, by Lagrange's equations in any scalar:
//   M a − Jᵀ f = τ − h,     J a + R f = −B φ̇ − K φ − J̇ v,
// with φ of a loop, J and J̇ v by differentiation of φ along motions of the robot, links being posed in the world.
#pragma once

#include <cmath>
#include <vector>

#include "constraints/blocks.hpp"
#include "constraints/impedance.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/scalar/autodiff.hpp"

namespace sparsedyn::test {

inline double plain(double x) { return x; }
template <class S>
double plain(const Dual<S, 1>& x) {
  return plain(x.x);
}

/// φ of a loop: the first point less the second; of a weld also the vector part of the quaternion of R2ᵀ R1, whose scalar is
/// positive; of a coupling q_j − p(q_of) − Σ c_k q_k.
template <class S>
std::vector<S> loop_error(const Model& model, const RowBlock& loop, const std::vector<S>& q) {
  using std::sqrt;
  if (loop.type == ConstraintType::joint) {
    const auto at = [&](int k) { return q[static_cast<std::size_t>(loop.coordinate[k])]; };
    S p(0.0);
    for (std::size_t k = loop.polynomial.size(); k-- > 0;)
      p = p * (loop.freedom[1] < 0 ? S(0.0) : at(1)) + S(loop.polynomial[k]);
    S error = at(0) - p;
    for (const LinearTerm& term : loop.linear) error = error - S(term.factor) * q[static_cast<std::size_t>(term.coordinate)];
    return {error};
  }
  Workspace<S> work(model);
  forward_kinematics<S>(model, work, q.data(), nullptr, nullptr);
  Pose<S> end[2];
  for (int k = 0; k < 2; ++k) {
    end[k] = cast<S>(loop.frames[k]);
    if (loop.link[k] >= 0) end[k] = link_pose(model, work, loop.link[k]) * end[k];
  }
  std::vector<S> error;
  for (int k = 0; k < 3; ++k) error.push_back(end[0].d[k] - end[1].d[k]);
  if (loop.rows == 3) return error;
  const Mat3<S> R = transpose(end[1].R) * end[0].R;
  const S by = S(0.5) / sqrt(S(1.0) + R(0, 0) + R(1, 1) + R(2, 2));
  for (int k = 0; k < 3; ++k) error.push_back(by * (R((k + 2) % 3, (k + 1) % 3) - R((k + 1) % 3, (k + 2) % 3)));
  return error;
}

/// φ and its first two derivatives by time along q ⊕ v t.
template <class S>
struct MovingError {
  MovingError(const Model& model, const RowBlock& loop, const std::vector<S>& q, const std::vector<S>& v) {
    using First = Dual<S, 1>;
    using Second = Dual<First, 1>;
    const Second t(First(S(0.0), {S(1.0)}), {First(1.0)});
    std::vector<Second> from, step, to(q.size());
    for (const S& x : q) from.push_back(Second(First(x, {S(0.0)}), {First(0.0)}));
    for (const S& x : v) step.push_back(t * Second(First(x, {S(0.0)}), {First(0.0)}));
    integrate(model, from.data(), step.data(), to.data());
    for (const Second& x : loop_error(model, loop, to))
      error.push_back(x.x.x), rate.push_back(x.x.d[0]), drift.push_back(x.d[0].d[0]);
  }
  std::vector<S> error, rate, drift;
};

/// d(|φ|) of a whole power, within its width, by the square of |φ|. Where that is rounding, |φ| itself has no derivative.
template <class S>
S impedance_of(const SolverImpedance& x, const S& square) {
  using std::sqrt;
  const int p = static_cast<int>(x[4]);
  const double size = std::sqrt(plain(square)) / x[2];
  if (size >= 1) return S(impedance_at(x, 1e9));
  S power(1.0);
  if (size <= x[3]) {
    for (int k = 0; k < p / 2; ++k) power = power * square / (x[2] * x[2]);
    if (p % 2 == 1) power = size > 1e-9 ? S(power * sqrt(square) / x[2]) : S(0.0);
    power = power * std::pow(x[3], 1 - p);
  } else {
    const S base = S(1.0) - sqrt(square) / x[2];
    for (int k = 0; k < p; ++k) power = power * base;
    power = S(1.0) - power * std::pow(1 - x[3], 1 - p);
  }
  return S(x[0]) + power * (x[1] - x[0]);
}

/// A x = b; of equations that say nothing, which follow from none of the others' rounding, x is zero.
template <class S>
std::vector<S> eliminated(std::vector<std::vector<S>> A, std::vector<S> b) {
  const std::size_t n = b.size();
  std::vector<std::size_t> pivot(n, n);
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t best = n;
    for (std::size_t r = 0; r < n; ++r) {
      bool taken = false;
      for (std::size_t k = 0; k < c; ++k) taken = taken || pivot[k] == r;
      if (!taken && std::abs(plain(A[r][c])) > (best == n ? 1e-12 : std::abs(plain(A[best][c])))) best = r;
    }
    if (best == n) continue;
    pivot[c] = best;
    for (std::size_t r = 0; r < n; ++r) {
      if (r == best) continue;
      const S by = A[r][c] / A[best][c];
      for (std::size_t k = c; k < n; ++k) A[r][k] = A[r][k] - by * A[best][k];
      b[r] = b[r] - by * b[best];
    }
  }
  std::vector<S> x(n, S(0.0));
  for (std::size_t c = 0; c < n; ++c)
    if (pivot[c] < n) x[c] = b[pivot[c]] / A[pivot[c]][c];
  return x;
}

template <class S>
std::vector<S> lagrange_accelerations(const Model& model, const std::vector<RowBlock>& loops, const std::vector<S>& q,
                                      const std::vector<S>& v, const std::vector<S>& tau) {
  const std::size_t n = v.size();
  std::size_t rows = n;
  for (const RowBlock& loop : loops) rows += static_cast<std::size_t>(loop.rows);
  std::vector<std::vector<S>> A(rows, std::vector<S>(rows, S(0.0)));
  std::vector<S> b(rows, S(0.0)), a(n, S(0.0)), bias(n), forces(n);
  Workspace<S> work(model);
  rnea<S>(model, work, q.data(), v.data(), a.data(), nullptr, bias.data());
  for (std::size_t k = 0; k < n; ++k) {
    a[k] = S(1.0);
    rnea<S>(model, work, q.data(), v.data(), a.data(), nullptr, forces.data());
    a[k] = S(0.0), b[k] = tau[k] - bias[k];
    for (std::size_t i = 0; i < n; ++i) A[i][k] = forces[i] - bias[i];
  }
  std::size_t at = n;
  for (const RowBlock& loop : loops) {
    const auto m = static_cast<std::size_t>(loop.rows);
    const MovingError<S> phi(model, loop, q, v);
    S square(0.0);
    for (const S& x : phi.error) square = square + x * x;
    const S d = loop.hard || loop.impedance[0] == loop.impedance[1] ? S(impedance_at(loop.impedance, 0))
                                                                    : impedance_of(loop.impedance, square);
    const S K = loop.hard ? S(loop.omega * loop.omega) : d * loop.pull.K;
    const double B = loop.hard ? 2 * loop.omega : loop.pull.B;
    const bool bends = loop.hard || loop.type != ConstraintType::joint;  // MuJoCo leaves out the drift of a soft coupling
    for (std::size_t r = 0; r < m; ++r) {
      b[at + r] = S(0.0) - B * phi.rate[r] - K * phi.error[r] - (bends ? phi.drift[r] : S(0.0));
      if (!loop.hard) A[at + r][at + r] = (S(1.0) - d) / d * (r < 3 ? loop.linear_weight : loop.angular_weight);
    }
    for (std::size_t k = 0; k < n; ++k) {
      std::vector<S> along(n, S(0.0));
      along[k] = S(1.0);
      const MovingError<S> column(model, loop, q, along);
      for (std::size_t r = 0; r < m; ++r) A[at + r][k] = column.rate[r], A[k][at + r] = S(0.0) - column.rate[r];
    }
    at += m;
  }
  std::vector<S> x = eliminated(A, b);
  x.resize(n);
  return x;
}

/// λᵀ∂²a twice along y and z, directions of (q along its tangent, v, τ).
inline double lagrange_bend(const Model& model, const std::vector<RowBlock>& loops, const std::vector<double>& q,
                            const std::vector<double>& v, const std::vector<double>& tau, const std::vector<double>& lambda,
                            const std::vector<double>& y, const std::vector<double>& z) {
  using Inner = Dual<double, 1>;
  using Twice = Dual<Inner, 1>;
  const std::size_t n = v.size();
  std::vector<Twice> step, to(q.size()), rates, forces;
  const auto moved = [&](double x, std::size_t e) { return Twice(Inner(x, {z[e]}), {Inner(y[e])}); };
  for (std::size_t e = 0; e < n; ++e)
    step.push_back(moved(0, e)), rates.push_back(moved(v[e], n + e)), forces.push_back(moved(tau[e], 2 * n + e));
  const std::vector<Twice> from(q.begin(), q.end());
  integrate(model, from.data(), step.data(), to.data());
  const std::vector<Twice> a = lagrange_accelerations(model, loops, to, rates, forces);
  double sum = 0;
  for (std::size_t e = 0; e < n; ++e) sum += lambda[e] * a[e].d[0].d[0];
  return sum;
}

}  // namespace sparsedyn::test
