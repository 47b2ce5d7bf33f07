#include "second_order.hpp"

#include <algorithm>
#include <cmath>

#include "sparsedyn/dynamics/second_derivatives.hpp"

namespace sparsedyn::reproduce {

using Method = SecondReferenceMethod;

std::vector<Way> ways_of(Dynamics dynamics) {
  std::vector<Way> ways{{"bicomplex step", Kind::reference, Method::bicomplex_step, 1e-20},
                        {"chain rule", Kind::reference, Method::chain_rule, 0},
                        {"differences of the function", Kind::reference, Method::function_differences, 1e-4},
                        {"differences of first derivatives", Kind::reference, Method::derivative_differences, 1e-5},
                        {"complex step of first derivatives", Kind::reference, Method::complex_step, 1e-30},
                        {"analytic", Kind::analytic, {}, 0}};
  if (dynamics == Dynamics::inverse) {
    ways.push_back({"analytic, branches alone", Kind::sparse, {}, 0});
    ways.push_back({"first derivatives", Kind::first, {}, 0});
  }
  return ways;
}

struct SecondOrder::Work {
  Work(const Model& m, Dynamics d)
      : model(m),
        dynamics(d),
        moments(m),
        reference(m, d),
        inverse_work(m),
        inverse(m),
        forward_work(m),
        y(m.nv),
        first(3 * m.nv * m.nv) {
    Mq.resize(static_cast<std::size_t>(m.nv) * m.nv * m.nv);
  }
  void first_derivatives(const double* q, const double* v, const double* a) {
    double* const matrix = first.data();
    const int size = model.nv * model.nv;
    rnea_derivatives(model, moments, q, v, a, no_wrenches,
                     RneaDerivatives<double>{y.data(), matrix, matrix + size, matrix + 2 * size});
  }
  void branches(const double* q, const double* v, const double* a) {
    rnea_second_derivatives(model, inverse_work, q, v, a, no_wrenches, inverse);
  }
  void inverse_dynamics(const double* q, const double* v, const double* a, const DynamicsSecondDerivatives& out) {
    const int n = model.nv;
    branches(q, v, a);
    inverse.dense({out.qq, out.qv, out.vv, Mq.data()});
    for (int i = 0; i < n; ++i)
      for (int b = 0; b < n; ++b)
        for (int c = 0; c < n; ++c) out.qx[(i * n + b) * n + c] = Mq[(i * n + c) * n + b];
  }
  void forward_dynamics(const double* q, const double* v, const double* tau, const DynamicsSecondDerivatives& out) {
    double* const matrix = first.data();
    const int size = model.nv * model.nv;
    aba_second_derivatives(model, forward_work, q, v, tau, no_wrenches,
                           AbaDerivatives<double>{y.data(), matrix, matrix + size, matrix + 2 * size},
                           AbaSecondDerivatives<double>{out.qq, out.qv, out.vv, out.qx});
  }

  const Model& model;
  Dynamics dynamics;
  const Force<double>* no_wrenches = nullptr;
  MomentWorkspace<double> moments;
  ReferenceSecondDerivatives reference;
  SecondWorkspace<double> inverse_work;
  SecondDerivatives<double> inverse;
  AbaSecondWorkspace<double> forward_work;
  std::vector<double> y, first, Mq;
};

SecondOrder::SecondOrder(const Model& model, Dynamics dynamics) : work_(std::make_unique<Work>(model, dynamics)) {}
SecondOrder::~SecondOrder() = default;

void SecondOrder::evaluate(const Way& way, const double* q, const double* v, const double* x, Tensors& out) {
  Work& w = *work_;
  switch (way.kind) {
    case Kind::reference: return w.reference.evaluate(way.method, q, v, x, nullptr, way.step, out.out());
    case Kind::sparse: return w.branches(q, v, x);
    case Kind::first: return w.first_derivatives(q, v, x);
    case Kind::analytic: break;
  }
  w.dynamics == Dynamics::inverse ? w.inverse_dynamics(q, v, x, out.out()) : w.forward_dynamics(q, v, x, out.out());
}

ErrorMetrics error_metrics(const std::vector<double>& x, const std::vector<double>& reference) {
  double largest = 0;
  for (double r : reference) largest = std::max(largest, std::abs(r));
  ErrorMetrics m{0, 0, 0, 0};
  double counted = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double error = std::abs(x[i] - reference[i]), size = std::abs(reference[i]);
    m.mae = std::max(m.mae, error);
    m.rmsae += error * error;
    if (size <= 1e-10 * largest) continue;
    m.mre = std::max(m.mre, error / size);
    m.rmsre += error / size * (error / size);
    counted += 1;
  }
  m.rmsae = std::sqrt(m.rmsae / static_cast<double>(x.size()));
  m.rmsre = std::sqrt(m.rmsre / std::max(1.0, counted));
  return m;
}

PowerLaw fit_power_law(const std::vector<std::pair<double, double>>& points) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (const auto& [x, y] : points) {
    const double lx = std::log(x), ly = std::log(y);
    n += 1, sx += lx, sy += ly, sxx += lx * lx, sxy += lx * ly;
  }
  const double slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
  return {slope, (sy - slope * sx) / n};
}

}  // namespace sparsedyn::reproduce
