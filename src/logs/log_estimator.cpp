#include "sparsedyn/logs/log_estimator.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "sparsedyn/runtime/estimate_at_state.hpp"

namespace sparsedyn {
namespace {

constexpr long samples_of_a_start = 2000;  // that the robust start uses
constexpr int most_passes = 20;            // a stage
constexpr double settled = 0.05;           // change of an offset beside its deviation, over short passes
/// The same, over the whole log: a pass leaves a few percent of the change undone, the share of readings that are reweighted.
constexpr double settled_over_all = 2;

EstimatorOptions for_learning(const System& system, const EstimatorOptions& options) {
  EstimatorOptions made = options;
  made.outputs = {system.unknown_names().front()};
  made.standard_deviations = made.innovations = false;
  made.in_batches = true;
  made.comparisons = options.huber > 0;  // else no reading is judged
  return made;
}

EstimatorOptions in_batches(EstimatorOptions options) {
  options.in_batches = options.comparisons = true;
  return options;
}

bool has_offsets(const System& system) {
  const std::vector<Sensor>& sensors = system.sensors().sensors;
  return std::any_of(sensors.begin(), sensors.end(), [](const Sensor& s) { return s.bias; });
}

}  // namespace

LogEstimator::LogEstimator(std::shared_ptr<const System> system, std::shared_ptr<const EstimatorPlan> plan,
                           EstimatorOptions options)
    : stage_(Stage::ready),
      robust_(options.huber > 0),
      huber_(options.huber),
      estimator_(system, plan, in_batches(options)),
      learner_(has_offsets(*system) ? std::make_unique<Estimator>(system, plan, for_learning(*system, options)) : nullptr),
      offsets_(learner_ ? *learner_ : estimator_),
      screened_(Batch::lanes),
      nothing_(1) {
  if (!offsets_.names().empty()) {
    stage_ = robust_ ? Stage::start : Stage::whole;
    found_ = offsets_.result();
    learner_->take_off(found_.taken_off);
  }
  begin();
}

void LogEstimator::begin() {
  faults_ = std::make_unique<ReadingFaults>(estimator_.system(), robust_, stuck_);
  offsets_.clear();
  learnt_ = passed_over_ = 0;
}

void LogEstimator::screen(const Estimator::Inputs* samples, int count) noexcept {
  for (int k = 0; k < count; ++k) {
    faults_->read(k, samples[k].y);
    screened_[static_cast<std::size_t>(k)] = {samples[k].q, samples[k].v, faults_->screened(k)};
  }
}

/// Huber's weights of the residuals of that estimate: as under the plan's order, a reading that others predict (redundancy ≥
/// 0.5) counts with the share s² = min(1, k σ/|y − Y x|). Returns the largest change of a share s.
double LogEstimator::reweigh_at_state(const Estimator::Inputs& sample, const StateEstimate& found,
                                      std::vector<double>& share) const {
  const System& system = learner_->system();
  const Pattern& p = system.pattern();
  std::vector<double> y(sample.y, sample.y + system.inputs().size()), values(p.entries()), right_side(share.size());
  for (double& reading : y) reading = std::isnan(reading) ? 0.0 : reading;
  SystemWorkspace<double> work(system);
  system.assemble(sample.q, sample.v, y.data(), values.data(), right_side.data(), work);
  const TakenOff& off = learner_->offsets();
  for (std::size_t k = 0; k < off.rows.size(); ++k) right_side[static_cast<std::size_t>(off.rows[k])] -= off.value[k];
  double change = 0;
  for (int r = 0; r < p.rows; ++r) {
    const auto row = static_cast<std::size_t>(r);
    if (found.innovations[row] == 0) continue;  // exact, missing, or predicted by no other
    double residual = right_side[row];
    for (int e = p.row_start[r]; e < p.row_start[r + 1]; ++e)
      residual -= values[static_cast<std::size_t>(e)] * found.unknowns[static_cast<std::size_t>(p.column[e])];
    residual /= learner_->sigma(r);
    const double redundancy = std::pow(share[row] * residual / found.innovations[row], 2), before = share[row];
    if (redundancy >= 0.5) share[row] = std::min(1.0, std::sqrt(huber_ / std::abs(residual)));
    change = std::max(change, std::abs(share[row] - before));
  }
  return change;
}

/// By rank decisions there.
bool LogEstimator::learn_at_state(const Estimator::Inputs& sample, const EstimateStatus& status) noexcept {
  constexpr int most_reweightings = 30;
  constexpr double settled_share = 1e-3;
  if (status.state == LUState::not_finite_input || status.state == LUState::no_sample) return false;
  try {
    const System& system = learner_->system();
    if (!least_) least_ = std::make_unique<Outputs>(system, learner_->output_columns());
    std::vector<double> sigma(static_cast<std::size_t>(system.pattern().rows)), share(sigma.size(), 1.0);
    for (int k = 0; k < (robust_ ? most_reweightings : 1); ++k) {
      for (std::size_t r = 0; r < sigma.size(); ++r) sigma[r] = learner_->sigma(static_cast<int>(r)) / share[r];
      const StateEstimate found = estimate_at_state(system, *least_, sigma, sample.q, sample.v, sample.y, learner_->offsets());
      if (!found.contradicting.empty()) return false;
      if (robust_ && k + 1 < most_reweightings && reweigh_at_state(sample, found, share) > settled_share) continue;
      offsets_.add(found.information, found.moment);
      return true;
    }
  } catch (const std::exception&) {
  }
  return false;
}

bool LogEstimator::learn(const Estimator::Inputs* samples, int count) noexcept {
  count = std::min<int>(count, Batch::lanes);
  screen(samples, count);
  learner_->prepare(screened_.data(), count);
  for (int k = 0; k < count; ++k) {
    EstimateStatus status = learner_->take(k, nothing_.data());
    if (!status.ok()) {
      ++(learn_at_state(screened_[static_cast<std::size_t>(k)], status) ? learnt_ : passed_over_);
      continue;
    }
    offsets_.add();
    ++learnt_;
    status.outlier = false;  // none is named before the offsets are off
    if (robust_) faults_->judge(k, *learner_, status, learnt_);
  }
  return stage_ == Stage::whole || learnt_ < samples_of_a_start;
}

void LogEstimator::end() {
  ++passes_, ++passes_in_stage_;
  const std::vector<double> before = learner_->offsets().value;
  found_ = offsets_.result();
  const TakenOff& now = found_.taken_off;
  const std::size_t n = now.value.size();
  double change = 0;
  for (std::size_t k = 0; k < n; ++k)
    if (found_.determined[k]) change = std::max(change, std::abs(now.value[k] - before[k]) / found_.standard_deviation[k]);
  learner_->set_offsets(now.value.data());
  bool found_more = false;  // stretches whose first samples were learnt from
  if (stage_ == Stage::whole) {
    std::vector<StuckStretch> stuck = faults_->stretches();
    found_more = stuck.size() > stuck_.size();
    stuck_ = std::move(stuck);
  }
  const bool has_settled = !found_more && change < (stage_ == Stage::start ? settled : settled_over_all);
  const bool done = !robust_ || passes_in_stage_ >= most_passes || has_settled;
  if (!done) return;
  passes_in_stage_ = 0;
  stage_ = stage_ == Stage::start ? Stage::whole : Stage::ready;
  if (stage_ == Stage::ready) estimator_.take_off(now);
}

std::vector<double> LogEstimator::learnt() const {
  std::vector<double> numbers = offsets_.sums();
  numbers.insert(numbers.begin(), static_cast<double>(learnt_));
  return numbers;
}

void LogEstimator::settle(const std::vector<double>& learnt) {
  if (robust_) throw std::logic_error("offsets: parts of a log do not add up where outliers are bounded");
  if (learnt.empty()) throw std::invalid_argument("offsets: no numbers");
  offsets_.set_sums({learnt.begin() + 1, learnt.end()});
  learnt_ = static_cast<long>(learnt.front());
  if (learning()) end();
}

void LogEstimator::adopt_offsets(const LogEstimator& other) {
  stage_ = other.stage_, found_ = other.found_, stuck_ = other.stuck_;
  estimator_.take_off(other.estimator_.offsets());
  begin();
}

void LogEstimator::prepare(const Estimator::Inputs* samples, int count) noexcept {
  count = std::min<int>(count, Batch::lanes);
  screen(samples, count);
  estimator_.prepare(screened_.data(), count);
}

EstimateStatus LogEstimator::take(int k, long line, double* out) noexcept {
  const EstimateStatus status = estimator_.take(k, out);
  if (status.ok()) faults_->judge(k, estimator_, status, line);
  return status;
}

EstimateStatus LogEstimator::estimate(const Estimator::Inputs& sample, long line, double* out) noexcept {
  if (!glanced_) faults_->read(0, sample.y);
  glanced_ = false;
  const EstimateStatus status = estimator_.estimate(sample.q, sample.v, faults_->screened(0), out);
  if (status.ok()) faults_->judge(0, estimator_, status, line);
  return status;
}

bool LogEstimator::glance(const double* y) noexcept {
  faults_->read(0, y, true);
  glanced_ = true;
  return faults_->looks_closer(0);
}

}  // namespace sparsedyn
