#include "sparsedyn/system/detail/rounding_probe.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "system/assemble.hpp"

namespace sparsedyn {
namespace {

constexpr double least_move = 1e-13;  // 450 roundings
constexpr double tenth = 0.1;         // of an entry, beside which such a move shows that it is rounding

}  // namespace

RoundingProbe::RoundingProbe(const System& system)
    : system_(system),
      share_(system.model().nq),
      q_(system.model().nq),
      v_(system.model().nv, 0.0),
      values_(system.pattern().entries()),
      right_side_(system.pattern().rows),
      work_(system) {
  std::minstd_rand rng(1);
  for (double& share : share_) {
    const double u = 2 * static_cast<double>(rng()) / static_cast<double>(std::minstd_rand::max()) - 1;  // in (−1, 1]
    share = least_move * (u < 0 ? u - 1 : u + 1);
  }
}

const double* RoundingProbe::values(const double* q, const double* y) noexcept {
  for (std::size_t i = 0; i < q_.size(); ++i) q_[i] = q[i] + share_[i] * std::max(1.0, std::abs(q[i]));
  system_.assemble(q_.data(), v_.data(), y, values_.data(), right_side_.data(), work_);
  return values_.data();
}

void clear_rounding(const double* moved, std::vector<double>& values) noexcept {
  for (std::size_t e = 0; e < values.size(); ++e)
    if (!(std::abs(moved[e] - values[e]) < tenth * std::abs(values[e]))) values[e] = 0;
}

}  // namespace sparsedyn
