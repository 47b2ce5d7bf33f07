// Derivatives by complex steps (Squire & Trapp 1998): Im f(x + i h δ) / h has no cancellation, and h = 1e-30 no error.
#pragma once

#include <complex>
#include <vector>

#include "comparison.hpp"
#include "sparsedyn/model/configuration.hpp"

namespace sparsedyn::verification {

using Complex = std::complex<double>;
inline constexpr double complex_step = 1e-30;

inline std::vector<Complex> as_complex(const std::vector<double>& x) { return {x.begin(), x.end()}; }

inline std::vector<Force<Complex>> as_complex(const std::vector<Force<double>>& wrenches) {
  std::vector<Force<Complex>> wide;
  for (const Force<double>& f : wrenches) wide.push_back(cast<Complex>(f));
  return wide;
}

/// x + i h along.
inline std::vector<Complex> stepped(const std::vector<double>& x, const std::vector<double>& along) {
  std::vector<Complex> y;
  for (std::size_t i = 0; i < x.size(); ++i) y.emplace_back(x[i], complex_step * along[i]);
  return y;
}

/// q ⊕ i h along: along is nv.
inline std::vector<Complex> stepped_posture(const Model& model, const std::vector<double>& q,
                                            const std::vector<double>& along) {
  const std::vector<Complex> from = as_complex(q), step = stepped(std::vector<double>(along.size()), along);
  std::vector<Complex> to(q.size());
  integrate(model, from.data(), step.data(), to.data());
  return to;
}

/// A unit vector.
inline std::vector<double> unit(int n, int i) {
  std::vector<double> e(static_cast<std::size_t>(n));
  e[static_cast<std::size_t>(i)] = 1;
  return e;
}

}  // namespace sparsedyn::verification
