#include "local_fit.hpp"

#include <algorithm>
#include <cmath>

#include "dense/orthogonal.hpp"

namespace sparsedyn {

const FitWeights& LocalFit::at(std::size_t i, std::size_t n) {
  const long here = static_cast<long>(i), last = static_cast<long>(n) - samples();
  return of(static_cast<int>(std::clamp(here - half_, 0L, last) - here));
}

/// The rows of the pseudoinverse of V, V_jk = (t_j / half)^k, t being counted from the sample at hand.
const FitWeights& LocalFit::of(int first) {
  const auto found = known_.find(first);
  if (found != known_.end()) return found->second;
  const double unit = half_;
  Eigen::MatrixXd V(samples(), degree + 1);
  for (int j = 0; j < samples(); ++j) {
    V(j, 0) = 1;
    for (int k = 1; k <= degree; ++k) V(j, k) = V(j, k - 1) * (first + j) / unit;
  }
  const dense_algebra::ThinQR qr = dense_algebra::thin_qr(V);  // V⁺ = R⁻¹ Qᵀ
  const Eigen::MatrixXd inverse = qr.R.triangularView<Eigen::Upper>().solve(qr.Q.transpose());
  FitWeights made;
  made.first = first;
  const double factor[] = {1, 1 / unit, 2 / (unit * unit)};
  for (int k = 0; k < 3; ++k) {
    for (int j = 0; j < samples(); ++j) made.weight[static_cast<std::size_t>(k)].push_back(factor[k] * inverse(k, j));
    made.norm[static_cast<std::size_t>(k)] = factor[k] * inverse.row(k).norm();
  }
  return known_.emplace(first, std::move(made)).first->second;
}

double LocalFit::response(double frequency) {
  const FitWeights& fit = inside();
  const double omega = 2 * std::acos(-1.0) * frequency;
  double sum = 0;
  for (int j = 0; j < samples(); ++j) sum += fit.weight[0][static_cast<std::size_t>(j)] * std::cos(omega * (j - half_));
  return std::abs(sum);
}

int half_of_cutoff(double frequency, int largest_half) {
  for (int half = LocalFit::smallest_half; half < largest_half; ++half)
    if (LocalFit(half).response(frequency) <= std::sqrt(0.5)) return half;
  return largest_half;
}

double cutoff_of_half(int half) {
  LocalFit fit(half);
  double low = 0, high = 0.5;  // the first crossing lies near (degree + 1) / (6.4 half) (Schafer 2011)
  high = std::min(high, 2.0 * (LocalFit::degree + 1) / (6.4 * half));
  for (int k = 0; k < 50; ++k) {
    const double middle = 0.5 * (low + high);
    (fit.response(middle) > std::sqrt(0.5) ? low : high) = middle;
  }
  return low;
}

}  // namespace sparsedyn
