#include "impedance.hpp"

#include <algorithm>
#include <cmath>

namespace sparsedyn {
namespace {

constexpr double least = 1e-15;
double share(double d) { return std::clamp(d, 1e-4, 0.9999); }

}  // namespace

Stiffness stiffness(const SolverReference& reference, const SolverImpedance& impedance, double timestep) noexcept {
  const double dw = share(impedance[1]);
  if (reference[0] <= 0 && reference[1] <= 0) return {-reference[0] / (dw * dw), -reference[1] / dw};
  const double t = std::max(reference[0], 2 * timestep), ratio = reference[1];
  return {1 / std::max(least, dw * dw * t * t * ratio * ratio), 2 / std::max(least, dw * t)};
}

double impedance_at(const SolverImpedance& impedance, double r) noexcept {
  const double d0 = share(impedance[0]), dw = share(impedance[1]), width = impedance[2], middle = share(impedance[3]),
               power = std::max(1.0, impedance[4]);
  if (d0 == dw || width <= least) return 0.5 * (d0 + dw);
  const double x = std::abs(r) / width;
  if (x >= 1) return dw;
  if (x == 0) return d0;
  double y = x;
  if (power != 1)
    y = x <= middle ? std::pow(x, power) / std::pow(middle, power - 1)
                    : 1 - std::pow(1 - x, power) / std::pow(1 - middle, power - 1);
  return d0 + y * (dw - d0);
}

double impedance_slope(const SolverImpedance& impedance, double r) noexcept {
  const double d0 = share(impedance[0]), dw = share(impedance[1]), width = impedance[2], middle = share(impedance[3]),
               power = std::max(1.0, impedance[4]);
  if (d0 == dw || width <= least) return 0;
  const double x = std::abs(r) / width;
  if (x >= 1) return 0;
  double slope = 1;
  if (power != 1)
    slope = x <= middle ? power * std::pow(x / middle, power - 1) : power * std::pow((1 - x) / (1 - middle), power - 1);
  return slope * (dw - d0) / width * (r < 0 ? -1 : 1);
}

double impedance_curvature(const SolverImpedance& impedance, double r) noexcept {
  const double d0 = share(impedance[0]), dw = share(impedance[1]), width = impedance[2], middle = share(impedance[3]),
               power = std::max(1.0, impedance[4]);
  if (d0 == dw || width <= least || power == 1) return 0;
  const double x = std::abs(r) / width;
  if (x >= 1) return 0;
  const double bend =
      x <= middle ? std::pow(x / middle, power - 2) / middle : -std::pow((1 - x) / (1 - middle), power - 2) / (1 - middle);
  return power * (power - 1) * bend * (dw - d0) / (width * width);
}

double regularisation(double d, double inverse_weight) noexcept { return std::max(least, (1 - d) / d * inverse_weight); }

}  // namespace sparsedyn
