#include "torque_misfit.hpp"

#include <cmath>

#include "torque_fit.hpp"

namespace sparsedyn::inspection {

TorqueMisfit misfit_of(const ModelTorques& model, const std::vector<TorqueColumn>& columns) {
  TorqueMisfit misfit;
  misfit.free = model.free, misfit.unmeasured = model.unmeasured, misfit.samples = model.sample.size();
  const TorqueRegressors regressors(model);
  for (const TorqueColumn& column : columns) {
    const auto own = static_cast<std::size_t>(column.v);
    const TorqueFit fit(regressors, *column.values);
    const bool there = fit.count() >= 30 && fit.size() > 0;
    misfit.left.push_back(there ? fit.read(own, 1).left / fit.size() : 0);
    misfit.noise.push_back(there ? fit.noise_of_model(own) / fit.size() : 0);
  }
  return misfit;
}

double gain(const TorqueMisfit& before, const TorqueMisfit& after) {
  constexpr double least = 1e-4;
  double sum = 0;
  for (std::size_t k = 0; k < before.left.size(); ++k)
    if (before.left[k] > beyond_noise * before.noise[k]) sum += std::log((before.left[k] + least) / (after.left[k] + least));
  const auto square = [](double x) { return x * x; };
  return sum + 3 * std::log((square(before.unmeasured) + least) / (square(after.unmeasured) + least));
}

bool mends(const TorqueMisfit& before, const TorqueMisfit& after) {
  if (!before.free && after.free) return true;
  for (std::size_t k = 0; k < before.left.size(); ++k)
    if (before.left[k] > beyond_noise * before.noise[k] && after.left[k] < 0.15 * before.left[k]) return true;
  return false;
}

}  // namespace sparsedyn::inspection
