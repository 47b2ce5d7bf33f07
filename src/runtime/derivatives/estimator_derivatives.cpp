#include "estimator_derivatives.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace sparsedyn {

EstimatorDerivatives::EstimatorDerivatives(const System& system, const Outputs& outputs, const EstimatorOptions& options)
    : engine(system, outputs, system.pattern().rows + system.pattern().columns),
      planned(system.pattern().rows + system.pattern().columns, options.tolerance),
      weight(system.pattern().rows) {
  if (options.standard_deviations && !system.position_sigma().empty()) {
    dq.resize(outputs.columns().size() * static_cast<std::size_t>(system.model().nv));
    dv.resize(dq.size());
  }
  if (system.formulation().shifted) throw std::invalid_argument("an estimator of shifted accelerations has no derivatives");
}

void DeleteEstimatorDerivatives::operator()(EstimatorDerivatives* derivatives) const noexcept { delete derivatives; }

std::unique_ptr<EstimatorDerivatives, DeleteEstimatorDerivatives> made_derivatives(const System& system, const Outputs& outputs,
                                                                                   const EstimatorOptions& options) {
  return std::unique_ptr<EstimatorDerivatives, DeleteEstimatorDerivatives>(new EstimatorDerivatives(system, outputs, options));
}

bool Estimator::prepare_derivatives() noexcept {
  if (!derivatives_ || !answered_ || !last_) return false;
  EstimatorDerivatives& d = *derivatives_;
  last_->block->load(last_lu());
  d.planned.use(*last_->block);
  for (std::size_t r = 0; r < weight_.size(); ++r) d.weight[r] = last_->augmented.exact(static_cast<int>(r)) ? 1.0 : weight_[r];
  d.engine.at(sample_->q.data(), sample_->v.data(), sample_->y.data(), sample_->solution.data());
  return true;
}

bool Estimator::derivatives_at_sample(const DerivativeArrays& into, DerivativeMode mode) noexcept {
  EstimatorDerivatives& d = *derivatives_;
  const ChangedResidual changed{system_->pattern().rows, d.weight.data(), sample_->solution.data() + zero_.size()};
  return d.engine.find(d.planned, changed, into, mode);
}

EstimateStatus Estimator::derivatives(const DerivativeArrays& into, DerivativeMode mode) noexcept {
  EstimateStatus status;
  if (!prepare_derivatives()) {
    status.state = LUState::no_sample;
    return status;
  }
  if (!derivatives_at_sample(into, mode)) status.state = LUState::inaccurate;
  for (std::size_t c = 0; c < determined_.size(); ++c)
    if (!determined_[c]) derivatives_->engine.leave_open(into, c);
  return status;
}

/// To first order, σ² += Σ_k (∂o/∂q_k σ_k)² + (∂o/∂v_k σ_k)². A deviation that cannot be told is NaN.
void Estimator::add_state_deviations() noexcept {
  if (!options_.standard_deviations || system_->position_sigma().empty() || sample_->state_entered) return;
  sample_->state_entered = true;
  EstimatorDerivatives& d = *derivatives_;
  const bool found = prepare_derivatives() && derivatives_at_sample({d.dq.data(), d.dv.data()}, DerivativeMode::automatic);
  const std::size_t nv = system_->position_sigma().size();
  for (std::size_t c = 0; c < determined_.size(); ++c) {
    double variance = sample_->deviations[c] * sample_->deviations[c];
    for (std::size_t k = 0; k < nv; ++k) {
      const double by_q = d.dq[c * nv + k] * system_->position_sigma()[k];
      const double by_v = d.dv[c * nv + k] * system_->velocity_sigma()[k];
      variance += by_q * by_q + by_v * by_v;
    }
    sample_->deviations[c] = found ? std::sqrt(variance) : std::numeric_limits<double>::quiet_NaN();
  }
}

EstimateStatus Estimator::gradient(const double* weight, const DerivativeArrays& into) noexcept {
  EstimateStatus status;
  if (!prepare_derivatives()) {
    status.state = LUState::no_sample;
    return status;
  }
  EstimatorDerivatives& d = *derivatives_;
  const ChangedResidual changed{system_->pattern().rows, d.weight.data(), sample_->solution.data() + zero_.size()};
  if (!d.engine.combine(d.planned, changed, weight, into)) status.state = LUState::inaccurate;
  for (std::size_t c = 0; c < determined_.size(); ++c)
    if (!determined_[c] && weight[c] != 0) d.engine.leave_open(into, 0);
  return status;
}

}  // namespace sparsedyn
