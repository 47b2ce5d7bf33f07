// Reference second derivatives: complex steps of the first.
#pragma once

#include "support.hpp"

namespace sparsedyn::test {

/// Dense tensors, [a,b,c] at (a n + b) n + c.
struct Tensors {
  explicit Tensors(int n) : qq(n * n * n, 0.0), qv(qq), vv(qq), Mq(qq) {}
  std::vector<double> qq, qv, vv, Mq;
};

inline Tensors complex_steps(const Model& model, const State& s) {
  constexpr double step = 1e-30;
  const int n = model.nv;
  Tensors r(n);
  const auto q0 = cast_all<Complex>(s.q), v0 = cast_all<Complex>(s.v), a = cast_all<Complex>(s.a);
  const auto fx = cast_all<Complex>(s.fx);
  MomentWorkspace<Complex> ws(model);
  RneaMatrices<Complex> x(model);
  for (int c = 0; c < n; ++c) {
    auto q = q0, v = v0;
    step_tangent(model, q, c, Complex(0, step));
    v[c] += Complex(0, step);
    rnea_derivatives(model, ws, q.data(), v0.data(), a.data(), fx.data(), x.out());
    for (int ab = 0; ab < n * n; ++ab) r.qq[ab * n + c] = x.dq[ab].imag() / step, r.Mq[ab * n + c] = x.M[ab].imag() / step;
    rnea_derivatives(model, ws, q0.data(), v.data(), a.data(), fx.data(), x.out());
    for (int ab = 0; ab < n * n; ++ab) r.qv[ab * n + c] = x.dq[ab].imag() / step, r.vv[ab * n + c] = x.dv[ab].imag() / step;
  }
  return r;
}

/// Σ_a λ_a [a,b,c].
inline std::vector<double> contracted(const std::vector<double>& tensor, const std::vector<double>& lambda) {
  const std::size_t n = lambda.size();
  std::vector<double> x(n * n, 0.0);
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t bc = 0; bc < n * n; ++bc) x[bc] += lambda[a] * tensor[a * n * n + bc];
  return x;
}

}  // namespace sparsedyn::test
