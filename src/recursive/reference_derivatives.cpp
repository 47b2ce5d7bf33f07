#include "sparsedyn/recursive/reference_derivatives.hpp"

#include <algorithm>

#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/recursive/aba.hpp"
#include "sparsedyn/recursive/rnea.hpp"
#include "sparsedyn/scalar/dual.hpp"

namespace sparsedyn {
namespace {

/// The dynamics and everything they read and write, in one scalar.
template <class S>
struct Point {
  Point(const Model& m, Dynamics d)
      : model(m), dynamics(d), ws(m), q0(m.nq), q(m.nq), v(m.nv), x(m.nv), y(m.nv), delta(m.nv), fx(m.bodies.size()) {}

  void set(const double* q_in, const double* v_in, const double* x_in, const Force<double>* fx_in) {
    for (int i = 0; i < model.nq; ++i) q[i] = q0[i] = S(q_in[i]);
    for (int i = 0; i < model.nv; ++i) v[i] = S(v_in[i]), x[i] = S(x_in[i]), delta[i] = S(0.0);
    has_wrenches = fx_in != nullptr;
    for (std::size_t b = 0; has_wrenches && b < fx.size(); ++b) fx[b] = cast<S>(fx_in[b]);
  }
  const std::vector<S>& evaluate() {
    const Force<S>* f = has_wrenches ? fx.data() : nullptr;
    if (dynamics == Dynamics::inverse)
      rnea(model, ws, q.data(), v.data(), x.data(), f, y.data());
    else
      aba(model, ws, q.data(), v.data(), x.data(), f, y.data());
    return y;
  }
  /// The dynamics with entry k of variable 0 (q, on the tangent), 1 (v) or 2 (x) moved by h, and put back.
  const std::vector<S>& moved(int variable, int k, const S& h) {
    if (variable == 0) {
      delta[k] = h;
      integrate(model, q0.data(), delta.data(), q.data());
      delta[k] = S(0.0);
      evaluate();
      q = q0;
      return y;
    }
    S& entry = variable == 1 ? v[k] : x[k];
    const S kept = entry;
    entry = entry + h;
    evaluate();
    entry = kept;
    return y;
  }

  const Model& model;
  Dynamics dynamics;
  Workspace<S> ws;
  std::vector<S> q0, q, v, x, y, delta;
  std::vector<Force<S>> fx;
  bool has_wrenches = false;
};

/// Fills the three matrices by columns: column(variable, k, c) writes the derivative into c, nv numbers.
template <class Column>
void fill(int nv, const DynamicsDerivatives& out, double* c, Column&& column) {
  double* matrices[] = {out.dy_dq, out.dy_dv, out.dy_dx};
  for (int variable = 0; variable < 3; ++variable)
    for (int k = 0; k < nv; ++k) {
      column(variable, k, c);
      for (int i = 0; i < nv; ++i) matrices[variable][i * nv + k] = c[i];
    }
}

}  // namespace

struct ReferenceDerivatives::Work {
  Work(const Model& m, Dynamics d) : model(m), real(m, d), complex(m, d), dual(m, d), column(m.nv) {}
  const Model& model;
  Point<double> real;
  Point<std::complex<double>> complex;
  Point<Dual<>> dual;
  std::vector<double> column;
};

ReferenceDerivatives::ReferenceDerivatives(const Model& model, Dynamics dynamics)
    : work_(std::make_unique<Work>(model, dynamics)) {}
ReferenceDerivatives::~ReferenceDerivatives() = default;

void ReferenceDerivatives::evaluate(ReferenceMethod method, const double* q, const double* v, const double* x,
                                    const Force<double>* fx, double step, const DynamicsDerivatives& out) noexcept {
  Work& w = *work_;
  const int nv = w.model.nv;
  w.real.set(q, v, x, fx);
  w.complex.set(q, v, x, fx);
  w.dual.set(q, v, x, fx);
  std::copy_n(w.real.evaluate().begin(), nv, out.y);
  fill(nv, out, w.column.data(), [&](int variable, int k, double* c) {
    switch (method) {
      case ReferenceMethod::forward_differences: {
        const std::vector<double>& y = w.real.moved(variable, k, step);
        for (int i = 0; i < nv; ++i) c[i] = (y[i] - out.y[i]) / step;
        return;
      }
      case ReferenceMethod::central_differences: {
        std::copy_n(w.real.moved(variable, k, step).begin(), nv, c);
        const std::vector<double>& y = w.real.moved(variable, k, -step);
        for (int i = 0; i < nv; ++i) c[i] = (c[i] - y[i]) / (2 * step);
        return;
      }
      case ReferenceMethod::complex_step: {
        const auto& y = w.complex.moved(variable, k, {0.0, step});
        for (int i = 0; i < nv; ++i) c[i] = y[i].imag() / step;
        return;
      }
      case ReferenceMethod::dual_numbers: {
        const auto& y = w.dual.moved(variable, k, dual_variable<double>(0.0));
        for (int i = 0; i < nv; ++i) c[i] = y[i].d[0];
        return;
      }
    }
  });
}

}  // namespace sparsedyn
