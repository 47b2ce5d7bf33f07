#include "estimator_derivatives.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace sparsedyn {

EstimatorDerivatives::EstimatorDerivatives(const System& system, const Outputs& outputs, double tolerance,
                                           bool deviations_of_state)
    : system_(system),
      engine_(system, outputs, system.pattern().rows + system.pattern().columns),
      planned_(system.pattern().rows + system.pattern().columns, tolerance),
      weight_(system.pattern().rows),
      changed_{system.pattern().rows, nullptr, nullptr} {
  if (deviations_of_state) {
    dq_.resize(outputs.columns().size() * static_cast<std::size_t>(system.model().nv));
    dv_.resize(dq_.size());
  }
  if (system.formulation().shifted) throw std::invalid_argument("an estimator of shifted accelerations has no derivatives");
}

void EstimatorDerivatives::at(SampleSolver& solver) noexcept {
  PlannedOrder& order = *solver.order();
  order.block->load(solver.lu());
  planned_.use(*order.block);
  for (int r = 0; r < solver.rows(); ++r) weight_[r] = order.augmented.exact(r) ? 1.0 : solver.weights()[r];
  const EstimatorSample& sample = solver.sample();
  engine_.at(sample.q.data(), sample.v.data(), sample.y.data(), sample.solution.data());
  changed_ = {solver.rows(), weight_.data(), solver.residuals()};
}

bool EstimatorDerivatives::find(const DerivativeArrays& into, DerivativeMode mode) noexcept {
  return engine_.find(planned_, changed_, into, mode);
}

bool EstimatorDerivatives::combine(const double* weight, const DerivativeArrays& into) noexcept {
  return engine_.combine(planned_, changed_, weight, into);
}

void EstimatorDerivatives::add_state_deviations(std::vector<double>& deviations) noexcept {
  const bool found = find({dq_.data(), dv_.data()}, DerivativeMode::automatic);
  const std::size_t nv = system_.position_sigma().size();
  for (std::size_t c = 0; c < deviations.size(); ++c) {
    double variance = deviations[c] * deviations[c];
    for (std::size_t k = 0; k < nv; ++k) {
      const double by_q = dq_[c * nv + k] * system_.position_sigma()[k];
      const double by_v = dv_[c * nv + k] * system_.velocity_sigma()[k];
      variance += by_q * by_q + by_v * by_v;
    }
    deviations[c] = found ? std::sqrt(variance) : std::numeric_limits<double>::quiet_NaN();
  }
}

}  // namespace sparsedyn
