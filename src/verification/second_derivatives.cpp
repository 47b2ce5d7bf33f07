// Second derivatives of inverse dynamics beside differences of the first, which are themselves compared with complex steps.
// Over five points, f' = (8 (f(h) − f(−h)) − (f(2h) − f(−2h))) / 12 h + O(h⁴): steps of 1e-3 leave some 1e-11 of the largest
// entry. Differences of what does not change are rounding, divided by the step.
#include "checks.hpp"
#include "entry_names.hpp"

#ifdef SPARSEDYN_SECOND_DERIVATIVES
#include <algorithm>
#include <array>
#include <cmath>

#include "sparsedyn/dynamics/second_derivatives.hpp"
#include "sparsedyn/model/configuration.hpp"

namespace sparsedyn::verification {
namespace {

constexpr double step = 1e-3, differences_allowed = 1e-6;
constexpr int most_states = 10;  // n³ numbers, each of eight evaluations

class SecondDerivativesCheck final : public Check {
 public:
  explicit SecondDerivativesCheck(const Model& model) : model_(model), work_(model), moments_(model), values_(model) {}

  void at(const State& s) override {
    if (s.sample >= most_states) return;
    const auto n = static_cast<std::size_t>(model_.nv);
    std::array<std::vector<double>, 4> x, r;
    std::vector<double> terms(n * n * n);
    for (auto* tensors : {&x, &r})
      for (std::vector<double>& t : *tensors) t.resize(n * n * n);
    rnea_second_derivatives(model_, work_, s.q.data(), s.v.data(), s.a.data(), s.fx.data(), values_);
    values_.dense({x[0].data(), x[1].data(), x[2].data(), x[3].data()});
    const First here = first(s, 0, 0, false);
    for (std::size_t i = 0; i < n; ++i)
      std::fill_n(terms.begin() + static_cast<std::ptrdiff_t>(i * n * n), n * n, here.largest(i, n) / step);
    for (std::size_t c = 0; c < n; ++c) {
      const First by_posture = slope(s, c, true), by_rate = slope(s, c, false);
      for (std::size_t ab = 0; ab < n * n; ++ab) {
        r[0][ab * n + c] = by_posture.q[ab], r[1][ab * n + c] = by_rate.q[ab];
        r[2][ab * n + c] = by_rate.v[ab], r[3][ab * n + c] = by_posture.M[ab];
      }
    }
    for (std::size_t t = 0; t < 4; ++t) rows_[t].add(s, x[t], r[t], terms);
  }

  void report(Verification& out) const override {
    const EntryNames names(model_);
    for (const Comparison& row : rows_) out.agreements.push_back(row.result(names.triples()));
  }

 private:
  struct First {
    std::vector<double> q, v, M;  // nv × nv

    /// The largest entry of a torque's rows.
    double largest(std::size_t row, std::size_t n) const {
      double size = 0;
      for (const std::vector<double>* part : {&q, &v, &M})
        for (std::size_t k = 0; k < n; ++k) size = std::max(size, std::abs((*part)[row * n + k]));
      return size;
    }
  };

  /// First derivatives with q moved on its tangent, or v, by `by` along freedom c.
  First first(const State& s, std::size_t c, double by, bool posture) {
    const auto n = static_cast<std::size_t>(model_.nv);
    std::vector<double> q = s.q, v = s.v, delta(n), tau(n);
    if (posture)
      delta[c] = by, integrate(model_, s.q.data(), static_cast<const double*>(delta.data()), q.data());
    else
      v[c] += by;
    First d{std::vector<double>(n * n), std::vector<double>(n * n), std::vector<double>(n * n)};
    rnea_derivatives(model_, moments_, static_cast<const double*>(q.data()), static_cast<const double*>(v.data()), s.a.data(),
                     s.fx.data(), RneaDerivatives<double>{tau.data(), d.q.data(), d.v.data(), d.M.data()});
    return d;
  }

  /// The derivative of all of these along freedom c.
  First slope(const State& s, std::size_t c, bool posture) {
    const First near[2] = {first(s, c, step, posture), first(s, c, -step, posture)};
    const First far[2] = {first(s, c, 2 * step, posture), first(s, c, -2 * step, posture)};
    First d = near[0];
    for (auto part : {&First::q, &First::v, &First::M})
      for (std::size_t i = 0; i < (d.*part).size(); ++i)
        (d.*part)[i] = (8 * ((near[0].*part)[i] - (near[1].*part)[i]) - ((far[0].*part)[i] - (far[1].*part)[i])) / (12 * step);
    return d;
  }

  const Model& model_;
  SecondWorkspace<double> work_;
  MomentWorkspace<double> moments_;
  SecondDerivatives<double> values_;
  std::array<Comparison, 4> rows_{
      {Comparison{"d2tau_dqdq", "analytic", "differences of the first derivatives", differences_allowed},
       Comparison{"d2tau_dqdv", "analytic", "differences of the first derivatives", differences_allowed},
       Comparison{"d2tau_dvdv", "analytic", "differences of the first derivatives", differences_allowed},
       Comparison{"dM_dq", "analytic", "differences of M", differences_allowed}}};
};

}  // namespace

std::unique_ptr<Check> second_derivatives_check(const Model& model) { return std::make_unique<SecondDerivativesCheck>(model); }

}  // namespace sparsedyn::verification
#else
namespace sparsedyn::verification {
std::unique_ptr<Check> second_derivatives_check(const Model&) { return nullptr; }
}  // namespace sparsedyn::verification
#endif
