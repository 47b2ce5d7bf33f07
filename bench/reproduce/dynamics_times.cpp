#include "dynamics_times.hpp"

#include <algorithm>

#include "processor_time.hpp"
#include "reference/reference_derivatives.hpp"
#include "robots.hpp"
#include "sparsedyn/dynamics/derivatives.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"
#include "sparsedyn/dynamics/rnea.hpp"

namespace sparsedyn::reproduce {
namespace {

/// Median over rounds of the mean over states of work(k).
template <class Work>
double median_time(int states, Work&& work) {
  std::vector<double> rounds(15);
  for (double& round : rounds) {
    const double start = processor_time();
    for (int k = 0; k < states; ++k) work(k);
    round = (processor_time() - start) / states;
  }
  std::nth_element(rounds.begin(), rounds.begin() + 7, rounds.end());
  return rounds[7];
}

}  // namespace

DynamicsTimes measure(const Model& model) {
  const States s(model, 64, 1);
  const std::size_t size = s.nv * s.nv;
  std::vector<double> y(s.nv), dq(size), dv(size), dx(size);
  Workspace<double> ws(model);
  MomentWorkspace<double> moments(model);
  AbaDerivativeWorkspace<double> aba_ws(model);
  ReferenceDerivatives inverse(model, Dynamics::inverse), forward(model, Dynamics::forward);
  const Force<double>* none = nullptr;
  const DynamicsDerivatives out{y.data(), dq.data(), dv.data(), dx.data()};
  DynamicsTimes t{};
  t.id = median_time(s.count, [&](int k) { rnea(model, ws, s.q_of(k), s.v_of(k), s.a_of(k), none, y.data()); });
  t.fd = median_time(s.count, [&](int k) { aba(model, ws, s.q_of(k), s.v_of(k), s.a_of(k), none, y.data()); });
  t.id_analytic = median_time(s.count, [&](int k) {
    rnea_derivatives(model, moments, s.q_of(k), s.v_of(k), s.a_of(k), none, {y.data(), dq.data(), dv.data(), dx.data()});
  });
  t.fd_analytic = median_time(s.count, [&](int k) {
    aba_derivatives(model, aba_ws, s.q_of(k), s.v_of(k), s.a_of(k), none, {y.data(), dq.data(), dv.data(), dx.data()});
  });
  const auto differences = [&](ReferenceDerivatives& reference) {
    return median_time(8, [&](int k) {
      reference.evaluate(ReferenceMethod::forward_differences, s.q_of(k), s.v_of(k), s.a_of(k), none, 1e-8, out);
    });
  };
  t.id_differences = differences(inverse);
  t.fd_differences = differences(forward);
  t.minverse = median_time(s.count, [&](int k) { minverse(model, ws, s.q_of(k), dx.data()); });
  return t;
}

}  // namespace sparsedyn::reproduce
