#include "sparsedyn/logs/agreement.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/chi_square.hpp"

namespace sparsedyn {
namespace {

constexpr double rejected_by_chance = 1e-6;
constexpr double worth_telling = 1.2;
constexpr long many = 100000;  // freedoms: the quantile lies at 1.02 times their number, below what is worth telling

}  // namespace

std::optional<bool> trusted(const ChiSquare& of) noexcept {
  if (of.expected < 1) return std::nullopt;
  if (!std::isfinite(of.sum)) return false;
  const auto freedoms = static_cast<double>(of.expected);
  if (of.sum <= worth_telling * freedoms) return true;
  return of.expected <= many && of.sum <= chi_square_quantile(rejected_by_chance, static_cast<int>(of.expected));
}

double deviation_scale(const ChiSquare& of) noexcept {
  return of.expected < 1 ? 1.0 : std::max(1.0, std::sqrt(of.sum / static_cast<double>(of.expected)));
}

}  // namespace sparsedyn
