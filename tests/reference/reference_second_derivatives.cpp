#include "reference/reference_second_derivatives.hpp"

#include <algorithm>

#include "reference/dynamics_point.hpp"
#include "sparsedyn/dynamics/derivatives.hpp"
#include "sparsedyn/scalar/autodiff.hpp"

namespace sparsedyn {
namespace {

using Complex = std::complex<double>;
using TwiceDual = Dual<Dual<>>;

/// The three variables of DynamicsPoint::move.
enum Variable { by_q, by_v, by_x };

/// One entry of a variable.
struct Entry {
  Variable variable;
  int k;
};

/// ∂²y/∂b∂c in the scalar's own way, into out (nv).
void second(DynamicsPoint<Bicomplex>& at, Entry b, Entry c, double h, double* out) {
  at.move(c.variable, c.k, Bicomplex({0, 0}, {h, 0}));
  at.move(b.variable, b.k, Bicomplex({0, h}, {0, 0}));
  const std::vector<Bicomplex>& y = at.evaluate();
  for (std::size_t a = 0; a < y.size(); ++a) out[a] = y[a].ij() / h / h;
  at.put_back();
}

void second(DynamicsPoint<TwiceDual>& at, Entry b, Entry c, double, double* out) {
  at.move(c.variable, c.k, dual_variable<Dual<>>(Dual<>(0.0)));
  at.move(b.variable, b.k, TwiceDual(dual_variable<double>(0.0), {Dual<>(0.0)}));
  const std::vector<TwiceDual>& y = at.evaluate();
  for (std::size_t a = 0; a < y.size(); ++a) out[a] = y[a].d[0].d[0];
  at.put_back();
}

/// out += weight · y with b and c moved.
void add_moved(DynamicsPoint<double>& at, Entry b, double hb, Entry c, double hc, double weight, double* out) {
  at.move(c.variable, c.k, hc);
  at.move(b.variable, b.k, hb);
  const std::vector<double>& y = at.evaluate();
  for (std::size_t a = 0; a < y.size(); ++a) out[a] += weight * y[a];
  at.put_back();
}

void second(DynamicsPoint<double>& at, Entry b, Entry c, double h, double* out) {
  std::fill(out, out + at.y.size(), 0.0);
  const double weight = 1 / (h * h);
  if (b.variable == c.variable && b.k == c.k) {
    add_moved(at, b, h, c, 0, weight, out);
    add_moved(at, b, 0, c, 0, -2 * weight, out);
    add_moved(at, b, -h, c, 0, weight, out);
    return;
  }
  for (double sb : {1.0, -1.0})
    for (double sc : {1.0, -1.0}) add_moved(at, b, sb * h, c, sc * h, sb * sc * weight / 4, out);
}

/// The analytic first derivatives of either dynamics in one scalar.
template <class S>
struct FirstDerivatives {
  FirstDerivatives(const Model& m, Dynamics dynamics)
      : point(m, dynamics), inverse(m), forward(m), y(m.nv), dq(m.nv * m.nv), dv(dq), dx(dq) {}
  void evaluate() {
    const S *q = point.q.data(), *v = point.v.data(), *x = point.x.data();
    if (point.dynamics == Dynamics::inverse)
      rnea_derivatives(point.model, inverse, q, v, x, point.wrenches(),
                       RneaDerivatives<S>{y.data(), dq.data(), dv.data(), dx.data()});
    else
      aba_derivatives(point.model, forward, q, v, x, point.wrenches(),
                      AbaDerivatives<S>{y.data(), dq.data(), dv.data(), dx.data()});
  }
  DynamicsPoint<S> point;
  MomentWorkspace<S> inverse;
  AbaDerivativeWorkspace<S> forward;
  std::vector<S> y, dq, dv, dx;
};

/// Tensor entries from derivatives of the first derivatives: `write(value)` of each matrix entry is what c adds or sets.
template <class S, class Write>
void spread(const FirstDerivatives<S>& first, Variable moved, int c, const DynamicsSecondDerivatives& out, Write&& write) {
  const int n = first.point.model.nv;
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b) {
      const int ab = a * n + b, abc = ab * n + c, acb = (a * n + c) * n + b;
      if (moved == by_v) {
        write(out.vv[abc], first.dv[ab]);
        continue;
      }
      write(out.qq[abc], first.dq[ab]);
      write(out.qv[acb], first.dv[ab]);
      write(out.qx[acb], first.dx[ab]);
    }
}

void differentiate(FirstDerivatives<Complex>& first, Entry c, double h, const DynamicsSecondDerivatives& out) {
  first.point.move(c.variable, c.k, {0, h});
  first.evaluate();
  first.point.put_back();
  spread(first, c.variable, c.k, out, [h](double& entry, const Complex& value) { entry = value.imag() / h; });
}

void differentiate(FirstDerivatives<double>& first, Entry c, double h, const DynamicsSecondDerivatives& out) {
  first.point.move(c.variable, c.k, h);
  first.evaluate();
  first.point.put_back();
  spread(first, c.variable, c.k, out, [](double& entry, double value) { entry = value; });
  first.point.move(c.variable, c.k, -h);
  first.evaluate();
  first.point.put_back();
  spread(first, c.variable, c.k, out, [h](double& entry, double value) { entry = (entry - value) / (2 * h); });
}

template <class S>
void fill_by_entries(FirstDerivatives<S>& first, double h, const DynamicsSecondDerivatives& out) {
  for (Variable variable : {by_q, by_v})
    for (int c = 0; c < first.point.model.nv; ++c) differentiate(first, {variable, c}, h, out);
}

/// Pairs of freedoms commute unless they move one body.
template <class S>
void fill_by_pairs(DynamicsPoint<S>& at, double h, const std::vector<int>& body_of, std::vector<double>& y,
                   const DynamicsSecondDerivatives& out) {
  const int n = at.model.nv;
  const auto fill = [&](double* tensor, Variable first, Variable second_variable) {
    for (int b = 0; b < n; ++b)
      for (int c = 0; c < n; ++c) {
        const bool commutes = first == second_variable && (first == by_v || body_of[b] != body_of[c]);
        if (commutes && c < b) {
          for (int a = 0; a < n; ++a) tensor[(a * n + b) * n + c] = tensor[(a * n + c) * n + b];
          continue;
        }
        second(at, {first, b}, {second_variable, c}, h, y.data());
        for (int a = 0; a < n; ++a) tensor[(a * n + b) * n + c] = y[a];
      }
  };
  fill(out.qq, by_q, by_q);
  fill(out.qv, by_q, by_v);
  fill(out.vv, by_v, by_v);
  fill(out.qx, by_q, by_x);
}

}  // namespace

struct ReferenceSecondDerivatives::Work {
  Work(const Model& m, Dynamics d)
      : bicomplex(m, d), twice_dual(m, d), real(m, d), complex_first(m, d), real_first(m, d), body_of(m.nv), y(m.nv) {
    for (std::size_t i = 0; i < m.bodies.size(); ++i)
      std::fill_n(body_of.begin() + m.bodies[i].v, freedoms(m.bodies[i].joint), static_cast<int>(i));
  }
  DynamicsPoint<Bicomplex> bicomplex;
  DynamicsPoint<TwiceDual> twice_dual;
  DynamicsPoint<double> real;
  FirstDerivatives<Complex> complex_first;
  FirstDerivatives<double> real_first;
  std::vector<int> body_of;  // by freedom
  std::vector<double> y;
};

ReferenceSecondDerivatives::ReferenceSecondDerivatives(const Model& model, Dynamics dynamics)
    : work_(std::make_unique<Work>(model, dynamics)) {}
ReferenceSecondDerivatives::~ReferenceSecondDerivatives() = default;

void ReferenceSecondDerivatives::evaluate(SecondReferenceMethod method, const double* q, const double* v, const double* x,
                                          const Force<double>* fx, double step, const DynamicsSecondDerivatives& out) noexcept {
  Work& w = *work_;
  const auto by_pairs = [&](auto& point) {
    point.set(q, v, x, fx);
    fill_by_pairs(point, step, w.body_of, w.y, out);
  };
  const auto by_entries = [&](auto& first) {
    first.point.set(q, v, x, fx);
    fill_by_entries(first, step, out);
  };
  switch (method) {
    case SecondReferenceMethod::bicomplex_step: return by_pairs(w.bicomplex);
    case SecondReferenceMethod::chain_rule: return by_pairs(w.twice_dual);
    case SecondReferenceMethod::function_differences: return by_pairs(w.real);
    case SecondReferenceMethod::complex_step: return by_entries(w.complex_first);
    case SecondReferenceMethod::derivative_differences: return by_entries(w.real_first);
  }
}

}  // namespace sparsedyn
