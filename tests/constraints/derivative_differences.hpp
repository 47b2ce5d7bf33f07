// Derivatives of forward dynamics under constraints beside differences of it, of fourth order, along the tangent space.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <utility>
#include <vector>

#include "constrained_states.hpp"

namespace sparsedyn::test {

struct Derivatives {
  Derivatives(const Model& model, const ConstrainedDynamics& dynamics)
      : nv(model.nv), forces(static_cast<int>(dynamics.force_columns().size())), at(model, dynamics) {
    for (auto& m : da) m.resize(static_cast<std::size_t>(nv) * nv);
    for (auto& m : dlambda) m.resize(static_cast<std::size_t>(forces) * nv);
  }
  ConstraintDerivatives out() {
    return {at.a.data(),  at.lambda.data(),  at.gap.data(),     da[0].data(),     da[1].data(),
            da[2].data(), dlambda[0].data(), dlambda[1].data(), dlambda[2].data()};
  }
  /// Column i of [∂a; ∂λ] by q (kind 0), v, τ.
  std::vector<double> column(int kind, int i) const {
    std::vector<double> x;
    for (int k = 0; k < nv; ++k) x.push_back(da[kind][static_cast<std::size_t>(k * nv + i)]);
    for (int k = 0; k < forces; ++k) x.push_back(dlambda[kind][static_cast<std::size_t>(k * nv + i)]);
    return x;
  }
  int nv, forces;
  ConstrainedAnswer at;
  std::vector<double> da[3], dlambda[3];
};

/// The state moved along freedom i of q (kind 0), v, τ.
inline Instant moved_along(const Model& model, Instant s, int kind, int i, double step) {
  if (kind == 0) {
    std::vector<double> along(static_cast<std::size_t>(model.nv), 0.0), q(s.q);
    along[static_cast<std::size_t>(i)] = step;
    integrate(model, q.data(), along.data(), s.q.data());
  }
  if (kind == 1) s.v[static_cast<std::size_t>(i)] += step;
  if (kind == 2) s.tau[static_cast<std::size_t>(i)] += step;
  return s;
}

/// [a; λ] there.
inline std::vector<double> answer_at(const Model& model, ConstrainedDynamics& dynamics, const Instant& from, int kind, int i,
                                     double step, const Force<double>* fx) {
  const Instant s = moved_along(model, from, kind, i, step);
  ConstrainedAnswer x(model, dynamics);
  const ConstraintStatus status =
      dynamics.forward(s.q.data(), s.v.data(), s.tau.data(), fx, x.a.data(), x.lambda.data(), x.gap.data());
  INFO(dynamics.describe(status));
  REQUIRE(status.ok());
  x.a.insert(x.a.end(), x.lambda.begin(), x.lambda.end());
  return x.a;
}

inline std::vector<double> slope_of(const Model& model, ConstrainedDynamics& dynamics, const Instant& s, int kind, int i,
                                    double step, const Force<double>* fx) {
  const auto at = [&](double x) { return answer_at(model, dynamics, s, kind, i, x, fx); };
  const std::vector<double> far = at(2 * step), near = at(step), back = at(-step), farthest = at(-2 * step);
  std::vector<double> slope;
  for (std::size_t k = 0; k < far.size(); ++k)
    slope.push_back((8 * (near[k] - back[k]) - (far[k] - farthest[k])) / (12 * step));
  return slope;
}

using Range = std::pair<std::size_t, std::size_t>;

/// Largest difference of those entries, beside the largest of them.
inline double apart(const std::vector<double>& x, const std::vector<double>& reference, Range of) {
  double size = 1, most = 0;
  for (std::size_t k = of.first; k < of.second; ++k) {
    size = std::max(size, std::abs(reference[k]));
    most = std::max(most, std::abs(x[k] - reference[k]));
  }
  return most / size;
}
inline double apart(const std::vector<double>& x, const std::vector<double>& reference) {
  return apart(x, reference, {0, reference.size()});
}

/// Columns that could be judged, and those for which differences of no step agree: the active set changes within them, or the
/// reach of an impedance; of forces also where they are large beside their changes.
struct Judged {
  int accelerations = 0, forces = 0, kinks_of_accelerations = 0, kinks_of_forces = 0;
};

inline void hold_against_differences(const Model& model, const ConstraintSet& set, const Instant& s, Judged& judged,
                                     const Force<double>* fx = nullptr) {
  ConstraintOptions precise;
  precise.tolerance = 1e-13;
  ConstrainedDynamics dynamics(model, set, precise);
  Derivatives found(model, dynamics);
  const ConstraintStatus status = dynamics.derivatives(s.q.data(), s.v.data(), s.tau.data(), fx, found.out());
  INFO(dynamics.describe(status));
  REQUIRE(status.ok());
  const auto n = static_cast<std::size_t>(model.nv), m = static_cast<std::size_t>(found.forces);
  for (int kind = 0; kind < 3; ++kind)
    for (int i = 0; i < model.nv; ++i) {
      std::vector<std::vector<double>> slopes;
      for (const double step : {1e-3, 2e-4, 3e-5, 1e-5, 3e-6, 1e-6})
        slopes.push_back(slope_of(model, dynamics, s, kind, i, step, fx));
      for (const bool forces : {false, true}) {
        const Range range = forces ? Range{n, n + m} : Range{0, n};
        std::vector<double> change{INFINITY};  // from each step's to the next one's
        for (std::size_t k = 1; k < slopes.size(); ++k) change.push_back(apart(slopes[k], slopes[k - 1], range));
        const auto best = static_cast<std::size_t>(std::min_element(change.begin(), change.end()) - change.begin());
        // where both neighbours differ by more, two agree by chance in what is rounding
        const double beside = std::min(change[best - 1], best + 1 < change.size() ? change[best + 1] : INFINITY);
        if (change[best] > 3e-7 || beside > 1e-6) {
          ++(forces ? judged.kinks_of_forces : judged.kinks_of_accelerations);
          continue;
        }
        ++(forces ? judged.forces : judged.accelerations);
        CAPTURE(kind, i, forces);
        CHECK(apart(found.column(kind, i), slopes[best], range) <= 1e-6);
      }
    }
}

}  // namespace sparsedyn::test
