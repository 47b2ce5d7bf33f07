#include "reference/reference_derivatives.hpp"

#include <algorithm>

#include "reference/dynamics_point.hpp"
#include "sparsedyn/scalar/autodiff.hpp"

namespace sparsedyn {
namespace {

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
  DynamicsPoint<double> real;
  DynamicsPoint<std::complex<double>> complex;
  DynamicsPoint<Dual<>> dual;
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
