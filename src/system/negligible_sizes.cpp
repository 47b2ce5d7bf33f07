#include "sparsedyn/system/detail/negligible_sizes.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace sparsedyn {
namespace {

constexpr double as_good_as_zero = 1e-10, beside_all = 1e-12;

}  // namespace

NegligibleSizes::NegligibleSizes(const System& system, std::size_t more)
    : unit_(system.unknowns().size() + more, UnknownUnit::other), one_(unit_.size(), 0.0), size_(unit_.size()) {
  const NaturalUnits natural = natural_units(system.model());
  for (std::size_t j = 0; j < system.unknowns().size(); ++j) {
    unit_[j] = unit_of(system, static_cast<int>(j));
    one_[j] = one_of(system, natural, static_cast<int>(j));
  }
}

const double* NegligibleSizes::beside(const double* x) noexcept {
  std::array<double, static_cast<std::size_t>(UnknownUnit::other) + 1> largest{};
  const auto of_unit = [&](std::size_t j) -> double& { return largest[static_cast<std::size_t>(unit_[j])]; };
  for (std::size_t j = 0; j < unit_.size(); ++j) of_unit(j) = std::max(of_unit(j), std::abs(x[j]));
  largest.back() = *std::max_element(largest.begin(), largest.end());
  for (std::size_t j = 0; j < unit_.size(); ++j) {
    const double share = unit_[j] == UnknownUnit::other ? beside_all : as_good_as_zero;
    size_[j] = share * std::max(one_[j], of_unit(j));
  }
  return size_.data();
}

}  // namespace sparsedyn
