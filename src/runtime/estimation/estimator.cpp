#include "sparsedyn/runtime/estimator.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "runtime/estimation/estimator_parts.hpp"
#include "runtime/status_words.hpp"

namespace sparsedyn {
namespace {

/// Calls f(row) for the rows of the sensor of that name, or for the row of that column.
template <class F>
void for_rows(const System& system, std::string_view name, F&& f) {
  for (const Measurement& m : system.measurements()) {
    const bool whole = system.sensors().sensors[static_cast<std::size_t>(m.sensor)].name == name;
    for (int k = 0; k < m.rows(); ++k)
      if (whole || m.columns[static_cast<std::size_t>(k)] == name) f(m.first_row + k);
  }
}

template <class T>
const T& checked(const std::vector<T>& of, int index) {
  return of.at(static_cast<std::size_t>(index));
}

}  // namespace

Estimator::Estimator(std::shared_ptr<const System> system, std::shared_ptr<const EstimatorPlan> plan,
                     const EstimatorOptions& options)
    : parts_(std::make_unique<Parts>(std::move(system), plan, options)) {}
Estimator::~Estimator() = default;
Estimator::Estimator(Estimator&&) noexcept = default;
Estimator& Estimator::operator=(Estimator&&) noexcept = default;

const System& Estimator::system() const { return *parts_->system; }
const std::vector<std::string>& Estimator::output_columns() const { return parts_->outputs.columns(); }

EstimateStatus Estimator::estimate(const double* q, const double* v, const double* y, double* out) noexcept {
  Parts& p = *parts_;
  p.own.read(*p.system, p.solver.plan().augmented, p.offsets.taken_off(), q, v, y);
  return p.answer(p.own, out);
}

void Estimator::prepare(const Inputs* samples, int count) noexcept {
  Parts& p = *parts_;
  if (!p.batch) return;
  p.batch->begin(std::min<int>(count, Batch::lanes));
  for (int k = 0; k < p.batch->count(); ++k)
    p.batch->sample(k).read(*p.system, p.solver.plan().augmented, p.offsets.taken_off(), samples[k].q, samples[k].v,
                            samples[k].y);
  const Spread wanted = p.wanted_spread();
  if (p.batch->solve(p.solver.plan(), p.solver.replay(), p.weights, p.counts.refined) && wanted.any()) p.find_in_lanes(wanted);
}

EstimateStatus Estimator::take(int k, double* out) noexcept {
  if (parts_->batch && k >= 0 && k < parts_->batch->count()) return parts_->take(k, out);
  EstimateStatus none;
  none.state = LUState::no_sample;
  return none;
}

bool Estimator::set_sigma(int row, double sigma) noexcept { return parts_->weights.set_sigma(row, sigma); }

bool Estimator::set_sigma(std::string_view sensor, double sigma) noexcept {
  bool done = false;
  for_rows(system(), sensor, [&](int row) { done = set_sigma(row, sigma) || done; });
  return done;
}

std::vector<int> Estimator::rows(std::string_view name) const {
  std::vector<int> found;
  for_rows(system(), name, [&](int row) { found.push_back(row); });
  return found;
}

void Estimator::take_off(TakenOff offsets) {
  parts_->offsets.take_off(std::move(offsets), parts_->weights);
  parts_->deviations.reserve(parts_->offsets.count());
  if (parts_->covariances) parts_->covariances->reserve(parts_->offsets.count());
}
void Estimator::set_offsets(const double* value) noexcept { parts_->offsets.set(value); }
const TakenOff& Estimator::offsets() const { return parts_->offsets.taken_off(); }

double Estimator::sigma(int row) const { return checked(parts_->weights.sigma(), row); }
double Estimator::weight(int row) const { return checked(parts_->weights.weights(), row); }
double Estimator::share(int row) const { return checked(parts_->weights.shares(), row); }
const double* Estimator::unknowns() const { return parts_->solver.sample().solution.data(); }
double Estimator::residual(int row) const {
  const double share_of_row = share(row);  // the row exists
  return parts_->solver.residuals()[row] / share_of_row;
}
bool Estimator::determined(int output) const { return checked(parts_->determined, output) != 0; }
const std::vector<double>& Estimator::standard_deviations() const { return parts_->solver.sample().deviations; }
const std::vector<double>& Estimator::covariances() const {
  static const std::vector<double> none;
  return parts_->covariances ? parts_->covariances->values() : none;
}
std::vector<double> Estimator::covariance(const std::vector<std::pair<std::string, std::string>>& pairs) {
  Parts& p = *parts_;
  if (!p.answered) throw std::logic_error("covariance: the last sample has no estimate");
  if (pairs.empty()) return {};
  Covariances found(*p.system, pairs, true, p.tolerance);
  found.reserve(p.offsets.count());
  PlannedOrder& order = *p.solver.order();
  if (!order.block) order.block = std::make_unique<BlockSolve>(order.lu.plan());
  found.find(p.solver, p.offsets);
  return found.values();
}
const std::vector<double>& Estimator::innovations() const { return parts_->solver.sample().innovations; }
SolverCounts Estimator::counts() const {
  SolverCounts all = parts_->counts;
  const SpreadCounts& spread = parts_->deviations.counts();
  all.sweeps_checked = spread.checked, all.left_to_solves = spread.solved;
  return all;
}
long Estimator::replanned() const { return parts_->solver.replanned(); }

bool Estimator::is_outlier(double chi_square, int redundancy) const noexcept {
  return parts_->test.is_outlier(chi_square, redundancy);
}
void Estimator::expect_comparisons(int readings) noexcept { parts_->expect_comparisons(readings); }
AgainstOthers Estimator::against_others(int row) noexcept {
  if (parts_->solver.order()) parts_->compare_in_lanes();
  return parts_->suspects.against_others(row);
}
int Estimator::suspect() noexcept {
  if (parts_->solver.order()) parts_->compare_in_lanes();
  return parts_->suspects.largest();
}

const std::vector<int>& Estimator::leave_out_suspects() noexcept {
  Parts& p = *parts_;
  if (!p.solver.order() || p.gate) return p.suspects.rows();  // the gate has left them out already
  p.suspects.forget();
  if (!p.weights.all_full()) {
    p.weights.count_all_fully();
    if (!p.solver.solve_again().ok()) return p.suspects.rows();
  }
  EstimateStatus status;
  p.test.judge(p.solver, status);
  p.compare_in_lanes();
  p.suspects.leave_out(status);
  return p.suspects.rows();
}

EstimateStatus Estimator::derivatives(const DerivativeArrays& into, DerivativeMode mode) noexcept {
  EstimateStatus status;
  if (!parts_->prepare_derivatives()) {
    status.state = LUState::no_sample;
    return status;
  }
  EstimatorDerivatives& found = *parts_->derivatives;
  if (!found.find(into, mode)) status.state = LUState::inaccurate;
  for (std::size_t c = 0; c < parts_->determined.size(); ++c)
    if (!parts_->determined[c]) found.leave_open(into, c);
  return status;
}

EstimateStatus Estimator::gradient(const double* weight, const DerivativeArrays& into) noexcept {
  EstimateStatus status;
  if (!parts_->prepare_derivatives()) {
    status.state = LUState::no_sample;
    return status;
  }
  EstimatorDerivatives& found = *parts_->derivatives;
  if (!found.combine(weight, into)) status.state = LUState::inaccurate;
  for (std::size_t c = 0; c < parts_->determined.size(); ++c)
    if (!parts_->determined[c] && weight[c] != 0) found.leave_open(into, 0);
  return status;
}

std::string Estimator::describe(const EstimateStatus& status) const {
  const char* const unnamed_row = "of the estimate";
  const std::string undetermined =
      status.unknown < 0 && status.equation >= 0
          ? "the equation " + name_of(system().equation_names(), status.equation, unnamed_row) +
                " follows from others at this state, or the measurements do not determine its unknowns"
          : "the measurements do not determine " + unknown_of(system(), status) + " at this state";
  return status_words(system(), status, undetermined, unnamed_row, "");
}

void Estimator::residual_covariances(const int* rows, int count, double* into) noexcept {
  SampleSolver& solver = parts_->solver;
  const int m = solver.rows(), n = solver.unknowns();
  for (int first = 0; first < count; first += Batch::lanes) {
    const int here = std::min<int>(Batch::lanes, count - first);
    const Batch* together = solver.order() ? solver.responses_to(rows + first, here) : nullptr;
    for (int k = 0; k < here; ++k, into += m) {
      const int row = rows[first + k];
      const bool weighs = solver.order() && solver.weights()[row] != 0;
      const double* alone = weighs && !together ? solver.response_to(row) : nullptr;
      for (int r = 0; r < m; ++r) into[r] = !weighs ? 0.0 : together ? together[n + r].lane[k] : alone ? alone[n + r] : 0.0;
    }
  }
}

void Estimator::project(const double* e, double* residual) noexcept {
  SampleSolver& solver = parts_->solver;
  const int m = solver.rows(), n = solver.unknowns();
  std::fill_n(residual, m, 0.0);
  if (!solver.order()) return;
  std::fill_n(solver.unit() + m, n, 0.0);
  for (int r = 0; r < m; ++r) solver.unit()[r] = (solver.order()->augmented.exact(r) ? 1.0 : solver.weights()[r]) * e[r];
  if (const double* response = solver.response()) std::copy_n(response + n, m, residual);
}

}  // namespace sparsedyn
