// Generated second derivatives through contacts and loops at states, the library's and differences of first ones beside them.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <utility>
#include <vector>

#include "compiled.hpp"
#include "sparsedyn/codegen/contact_second_derivatives.hpp"
#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "support/contact_robots.hpp"

namespace sparsedyn::test {

using CurveVector = std::vector<double>;

inline ContactCodeOptions with_second_derivatives(bool wrenches = false, bool forces = false) {
  ContactCodeOptions options;
  options.derivatives = options.second = true, options.wrenches = wrenches, options.force_multipliers = forces;
  return options;
}

/// Blocks of a lower triangle: by q and q, v and q, v and v, and so on; each of them as a list.
inline std::vector<CurveVector> blocks_of(const CurveVector& triangle, std::size_t size) {
  std::vector<CurveVector> blocks(6);
  for (std::size_t i = 0, e = 0; i < size; ++i)
    for (std::size_t k = 0; k <= i; ++k, ++e) {
      const std::size_t row = 3 * i / size, column = 3 * k / size;
      blocks[row * (row + 1) / 2 + column].push_back(triangle[e]);
    }
  return blocks;
}

/// Of each block its largest difference beside its largest entry.
inline std::vector<double> block_differences(const CurveVector& found, const CurveVector& expected, std::size_t size) {
  const std::vector<CurveVector> one = blocks_of(found, size), other = blocks_of(expected, size);
  std::vector<double> all;
  for (std::size_t b = 0; b < one.size(); ++b) all.push_back(relative_difference(one[b], other[b]));
  return all;
}

/// The function at states and multipliers: λ, and with `forces` η, of which H is that of λᵀa + ηᵀf.
class CurvedContacts {
 public:
  CurvedContacts(const Model& model, const ConstraintSet& set, const std::string& compiler = quick_compiler(),
                 const std::string& flags = "-O0", bool wrenches = false, bool forces = false)
      : model_(model),
        n_(static_cast<std::size_t>(model.nv)),
        forces_(ConstrainedDynamics(model, set).force_columns().size()),
        gaps_(ConstrainedDynamics(model, set).gap_columns().size()),
        function_(contact_dynamics_code(model, set, "f", with_second_derivatives(wrenches, forces)).files, "f",
                  strictly(compiler, flags)),
        wrenches_(wrenches),
        with_forces_(forces),
        library_(model, set) {
    next.resize(1000);
    for (int k = 0; wrenches && k < 6 * static_cast<int>(model.links.size()); ++k) fx.push_back(std::sin(2 + k));
    for (int k = 0; k < model.nv; ++k) lambda.push_back(std::cos(1 + k * k));
    for (std::size_t k = 0; forces && k < forces_; ++k) eta.push_back(std::sin(3.0 + static_cast<double>(k * k)));
  }
  /// One after the other: both λ and η; η alone; λ alone.
  void take_multipliers(int k) {
    for (std::size_t i = 0; i < n_; ++i)
      lambda[i] = k % 3 == 1 && with_forces_ ? 0 : std::cos(1.0 + static_cast<double>(i * i));
    for (std::size_t i = 0; i < eta.size(); ++i) eta[i] = k % 3 == 2 ? 0 : std::sin(3.0 + static_cast<double>(i * i));
  }

  /// H: the lower triangle, and the library's beside it. Returns the function's code.
  int second(const ContactState& s, CurveVector& H) {
    H.assign(3 * n_ * (3 * n_ + 1) / 2, -7);
    force.resize(forces_), gap.resize(gaps_), ddq.resize(n_);
    double* res[12] = {ddq.data(), force.data(), gap.data(), next.data(), solver_};
    res[11] = H.data();
    const int code = call(s, nullptr, res);
    if (code == 0) hold_library(s, H);
    return code;
  }

  /// λᵀ [∂a/∂q ∂a/∂v ∂a/∂τ] + ηᵀ [∂f/∂q ∂f/∂v ∂f/∂τ] from the first derivatives.
  CurveVector first(const ContactState& s, const double* start) {
    CurveVector g;
    REQUIRE(call_first(s, start) == 0);
    for (int part = 0; part < 3; ++part)
      for (std::size_t c = 0; c < n_; ++c) {
        g.push_back(0);
        for (std::size_t r = 0; r < n_; ++r) g.back() += lambda[r] * by_[part][r * n_ + c];
        for (std::size_t r = 0; r < eta.size(); ++r)
          if (eta[r] != 0) g.back() += eta[r] * by_[3 + part][r * n_ + c];
      }
    return g;
  }

  /// The function's code where first derivatives alone are asked for.
  int call_first(const ContactState& s, const double* start = nullptr) {
    double* res[12] = {};
    const bool forces = std::any_of(eta.begin(), eta.end(), [](double x) { return x != 0; });
    for (int k = 0; k < (forces ? 6 : 3); ++k) by_[k].resize((k < 3 ? n_ : forces_) * n_), res[5 + k] = by_[k].data();
    return call(s, start, res);
  }

  /// First derivatives at a state moved along entry k of (q, v, τ).
  CurveVector first_beside(const ContactState& s, std::size_t k, double by) {
    ContactState moved = s;
    if (k < n_) {
      CurveVector delta(n_);
      delta[k] = by;
      integrate(model_, s.q.data(), delta.data(), moved.q.data());
    } else {
      (k < 2 * n_ ? moved.v[k - n_] : moved.tau[k - 2 * n_]) += by;
    }
    return first(moved, next.data());
  }

  std::size_t size() const { return 3 * n_; }

  CurveVector lambda, eta, next, force, gap, ddq, fx;

 private:
  /// Each block within 1e-7 of its largest entry: of a quadruped on its feet a residual of 6e-13 of the largest force moves the
  /// block by q and q by 7e-9, and both answers have settled to 1e-11.
  void hold_library(const ContactState& s, const CurveVector& H) {
    CurveVector a(n_), lambda_of(forces_), gaps(gaps_), by[3], all(9 * n_ * n_), lower;
    for (CurveVector& matrix : by) matrix.resize(n_ * n_);
    std::vector<Force<double>> on_bodies(model_.bodies.size());
    if (wrenches_) link_wrenches_to_bodies(model_, link_wrenches().data(), on_bodies.data());
    const ConstraintStatus status =
        library_.evaluate(s.q.data(), s.v.data(), s.tau.data(), wrenches_ ? on_bodies.data() : nullptr, lambda.data(),
                          {a.data(), lambda_of.data(), gaps.data(), by[0].data(), by[1].data(), by[2].data()}, all.data(),
                          with_forces_ ? eta.data() : nullptr);
    INFO(library_.dynamics().describe(status));
    REQUIRE(status.ok());
    for (std::size_t i = 0; i < 3 * n_; ++i) lower.insert(lower.end(), &all[i * 3 * n_], &all[i * 3 * n_] + i + 1);
    for (const double difference : block_differences(lower, H, 3 * n_)) CHECK(difference <= 1e-7);
  }
  /// fx by link, as the input holds those of links that move.
  std::vector<Force<double>> link_wrenches() const {
    std::vector<Force<double>> all;
    const double* x = fx.data();
    for (const Link& link : model_.links) {
      all.push_back({zero3<double>(), zero3<double>()});
      if (link.body < 0) continue;
      all.back() = {{{x[0], x[1], x[2]}}, {{x[3], x[4], x[5]}}};
      x += 6;
    }
    return all;
  }

  int call(const ContactState& s, const double* start, double** res) {
    std::vector<const double*> arg{s.q.data(), s.v.data(), s.tau.data()};
    if (wrenches_) arg.push_back(fx.data());
    arg.push_back(lambda.data());
    if (with_forces_) arg.push_back(eta.data());
    arg.push_back(start);
    return function_.call(arg.data(), res);
  }
  const Model& model_;
  std::size_t n_, forces_, gaps_;
  CompiledProgram function_;
  bool wrenches_, with_forces_;
  ContactSecondDerivatives library_;
  double solver_[3] = {};
  CurveVector by_[6];
};

/// The slope of f at 0, by differences.
template <class Function>
CurveVector difference_of_sixth_order(Function&& f, double step) {
  CurveVector slope;
  for (const auto& [far, weight] : {std::pair(1, 45.0), {2, -9.0}, {3, 1.0}}) {
    const CurveVector ahead = f(far * step), back = f(-far * step);
    slope.resize(ahead.size());
    for (std::size_t i = 0; i < slope.size(); ++i) slope[i] += weight * (ahead[i] - back[i]) / (60 * step);
  }
  return slope;
}

inline CurveVector slope_of_first(CurvedContacts& f, const ContactState& s, std::size_t k, double step) {
  return difference_of_sixth_order([&](double by) { return f.first_beside(s, k, by); }, step);
}

/// H by differences of first derivatives: half of the sum of both orders of differentiation.
inline CurveVector hessian_by_differences(CurvedContacts& f, const ContactState& s, double step) {
  std::vector<CurveVector> bent;
  for (std::size_t k = 0; k < f.size(); ++k) bent.push_back(slope_of_first(f, s, k, step));
  CurveVector H;
  for (std::size_t i = 0; i < f.size(); ++i)
    for (std::size_t k = 0; k <= i; ++k) H.push_back(0.5 * (bent[k][i] + bent[i][k]));
  return H;
}

/// Each block beside differences of the best of several steps: long ones may reach where a contact changes its kind, or its
/// impedance its power, and short ones carry the rounding of first derivatives, whose forces have settled to 1e-11 of the
/// largest.
inline double difference_of_second(CurvedContacts& f, const ContactState& s, const CurveVector& H, double bound) {
  std::vector<double> least(6, 1.0);
  double most = 1;
  for (const double step : {1e-3, 1e-4, 3e-5, 1e-5}) {
    if (most <= bound) break;
    const std::vector<double> now = block_differences(H, hessian_by_differences(f, s, step), f.size());
    for (std::size_t b = 0; b < least.size(); ++b) least[b] = std::min(least[b], now[b]);
    most = *std::max_element(least.begin(), least.end());
  }
  return most;
}

}  // namespace sparsedyn::test
