#include "estimated_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "corrector.hpp"
#include "io/suggestions.hpp"
#include "log_findings.hpp"
#include "output_pairs.hpp"
#include "planned.hpp"
#include "sparsedyn/logs/log_estimator.hpp"
#include "sparsedyn/runtime/estimate_at_state.hpp"
#include "sparsedyn/runtime/estimator.hpp"
#include "sparsedyn/runtime/gap_closer.hpp"

namespace sparsedyn {
namespace {

/// Σ x² of a sensor's innovations.
struct SumOfSquares {
  double squares = 0;
  long count = 0;
  bool seen = false;
};

/// A search takes as long as some hundred decisions at a state (estimate_at_state): only what comes often is worth one. Null:
/// the pattern of gaps came but a few times, or there is no search. times: how often.
std::shared_ptr<const EstimatorPlan> plan_for_gaps(const System& system, const PlanSource& plans,
                                                   const std::vector<char>& missing, int times, long& searched) {
  constexpr int worth_a_plan = 150;
  const PlanMemory* memory = plans.remembers_gaps ? plans.memory.get() : nullptr;
  if (times == 1) return memory ? memory->find(system, missing) : nullptr;
  if (times != worth_a_plan || !plans.search) return nullptr;
  ++searched;
  std::shared_ptr<const EstimatorPlan> plan = plans.search->of_estimator(system, missing);
  if (memory) memory->keep(system, missing, *plan);
  return plan;
}

class EstimatedRows : public RowAnswers {
 public:
  EstimatedRows(std::shared_ptr<const System> system, std::shared_ptr<const EstimatorPlan> plan,
                const std::vector<std::string>& outputs, const SensorSolverOptions& wanted)
      : RowAnswers(std::move(system)),
        wanted_(wanted),
        plan_(std::move(plan)),
        closer_(std::make_shared<const GapCloser>(system_)),
        log_(system_, plan_, options(outputs)),
        estimator_(log_.estimator()),
        pairs_(pairs_of(*system_, wanted)),
        written_(*system_, with_pairs(outputs)),
        names_(system_->equation_names()),
        by_sensor_(system_->sensors().sensors.size()) {
    const std::vector<char>& open = plan_->regularisation.undetermined;
    insufficient_ = std::find(open.begin(), open.end(), char(1)) != open.end();
    columns_ = estimator_.output_columns();
    outputs_ = columns_.size();
    if (wanted.deviations)
      for (std::size_t c = 0; c < outputs_; ++c) columns_.push_back("sd." + columns_[c]);
    for (const auto& [first, second] : pairs_) columns_.push_back("cov." + first + "|" + second);
    if (!wanted.innovations) return;
    columns_.push_back("chi2");
    for (int r = 0; r < system_->pattern().rows; ++r)
      if (estimator_.sigma(r) > 0 && system_->equations()[r].measurement >= 0) {
        noisy_.push_back(r);
        columns_.push_back("innovation." + system_->equation_names()[r]);
      }
  }

  std::size_t outputs() const override { return outputs_; }
  bool takes_gaps() const override { return true; }
  std::unique_ptr<RowAnswers> another() const override {
    auto made = std::make_unique<EstimatedRows>(system_, plan_, estimator_.output_columns(), wanted_);
    made->log_.adopt_offsets(log_);
    made->making = making, made->names_ = names_;
    for (int r = 0; r < system_->pattern().rows; ++r)  // false of exact rows, which have none
      (void)made->estimator_.set_sigma(r, estimator_.sigma(r));
    return made;
  }
  bool set_sigma(int row, double sigma) noexcept override { return estimator_.set_sigma(row, sigma); }
  std::size_t batch() const override { return Batch::lanes; }
  void expect(const std::vector<const double*>& rows) noexcept override {
    const std::array<Estimator::Inputs, Batch::lanes> inputs = inputs_of(rows);
    expected_ = std::min<int>(static_cast<int>(rows.size()), Batch::lanes), next_ = 0;
    log_.prepare(inputs.data(), expected_);
  }
  bool learning() const override { return log_.learning(); }
  void begin_pass() override { log_.begin(); }
  bool learn(const std::vector<const double*>& rows) noexcept override {
    const std::array<Estimator::Inputs, Batch::lanes> inputs = inputs_of(rows);
    return log_.learn(inputs.data(), std::min<int>(static_cast<int>(rows.size()), Batch::lanes));
  }
  void end_pass() override {
    log_.end();
    if (!log_.learning()) log_.begin();
  }
  std::vector<double> learnt() const override { return log_.learnt(); }
  void settle(const std::vector<double>& learnt) override {
    log_.settle(learnt);
    log_.begin();
  }
  void at_line(long line) noexcept override { line_ = line; }
  bool in_order() const override { return wanted_.huber > 0 || !log_.offset_names().empty(); }
  void name_columns(const std::vector<std::string>& read_from) override {
    for (const Measurement& m : system_->measurements())
      for (int k = 0; k < m.rows(); ++k)
        if (m.inputs[k] >= 0 && !read_from[m.inputs[k]].empty()) names_[m.first_row + k] = read_from[m.inputs[k]];
  }

  Answer solve(const double* q, const double* v, const double* y, double* results) override {
    if (next_ < expected_)
      taken_ = next_, status_ = log_.take(next_++, line_, results);
    else
      taken_ = 0, status_ = log_.estimate({q, v, y}, line_, results);
    at_state_.reset();
    if (!status_.ok()) return judged(solve_at_state(q, v, y, results));
    reweighted_ += status_.reweighted > 0;
    unsettled_ += status_.unsettled > 0;
    with_gaps_ += status_.missing > 0;
    chi_square_ += status_.chi_square, redundancy_ += status_.redundancy;
    write_spread(estimator_.standard_deviations(), estimator_.covariances(), estimator_.innovations(), results);
    return judged(true);
  }
  std::string why() const override {
    if (at_state_ && !at_state_->contradicting.empty())
      return "exact rows contradict each other at this state: " + listing(names(at_state_->contradicting));
    if (!at_state_ && !status_.ok()) return estimator_.describe(status_);
    std::vector<std::string> open;
    for (std::size_t c = 0; c < outputs_; ++c)
      if (is_open(c)) open.push_back(columns_[c]);
    if (open.empty()) return "";
    if (left_open_by_offsets()) return "offsets that the log does not determine leave undetermined: " + listing(open);
    return (status_.missing > 0 ? "what is left of the measurements does not determine "
                                : "at this state the sensors do not determine ") +
           listing(open);
  }
  std::vector<double> covariance(const OutputPairs& pairs) override {
    if (!at_state_) return estimator_.covariance(pairs);
    if (!at_state_->contradicting.empty()) throw std::logic_error("covariance: the last sample has no estimate");
    if (pairs.empty()) return {};
    check_output_pairs(*system_, pairs);
    std::vector<std::string> names;
    add_names(pairs, names);
    const Outputs of_pairs(*system_, names);
    return estimate_at_state(*system_, of_pairs, sigmas(), state_.data(), state_.data() + system_->model().nq, readings_.data(),
                             estimator_.offsets(), true, places_of(pairs, of_pairs))
        .covariances;
  }
  std::optional<AnswerPlan> plan() const override {
    if (!pairs_.empty() || wanted_.huber > 0 || !log_.offset_names().empty()) return {};
    AnswerPlan found{*system_, estimator_.output_columns()};
    found.estimator_plan = plan_.get(), found.deviations = wanted_.deviations, found.innovations = wanted_.innovations;
    return found;
  }
  bool accept(const double* y, const double* chi_square_and_innovations) noexcept override {
    const double chi_square = *chi_square_and_innovations;
    if (log_.glance(y) || estimator_.is_outlier(chi_square, plan_->regularisation.redundancy)) return false;
    log_.pass_over();
    chi_square_ += chi_square;
    if (wanted_.innovations) count_innovations(chi_square_and_innovations + 1);
    redundancy_ += plan_->regularisation.redundancy;
    return true;
  }
  const CorrectedReadings* corrected(const double* q, const double* v, const double* y) override {
    if (!corrector_) corrector_ = std::make_unique<Corrector>(*system_);
    const double* x = at_state_ ? at_state_->unknowns.data() : nullptr;
    std::vector<int> outliers = log_.faults().left_out(taken_);
    if (!at_state_ && status_.outlier) {
      const std::vector<int>& suspects = estimator_.leave_out_suspects();
      outliers.insert(outliers.end(), suspects.begin(), suspects.end());
    }
    return &corrector_->correct(q, v, y, x ? x : estimator_.unknowns(), estimator_.offsets(), outliers);
  }

  void report(SolveReport& into) const override {
    into.estimated = true;
    into.strategy = plan_->plan.strategy, into.formulation = plan_->plan.formulation;
    into.remedies = estimator_.counts();
    into.replanned = estimator_.replanned(), into.searched = *searched_;
    into.with_gaps = with_gaps_, into.at_singular_states = at_singular_states_;
    into.redundant = plan_->regularisation.redundancy > 0;
    report_log(*system_, log_, {chi_square_, redundancy_}, names_, into);
    into.bounded = wanted_.huber > 0;
    into.reweighted = reweighted_, into.unsettled = unsettled_;
    into.has_innovations = wanted_.innovations;
    for (std::size_t s = 0; s < by_sensor_.size(); ++s) {
      const SumOfSquares& sum = by_sensor_[s];
      if (!sum.seen) continue;
      const double rms = sum.count ? std::sqrt(sum.squares / static_cast<double>(sum.count)) : 0.0;
      into.innovations.push_back({system_->sensors().sensors[s].name, rms, sum.count});
    }
  }

 private:
  std::vector<double> sigmas() const {
    std::vector<double> sigma(static_cast<std::size_t>(system_->pattern().rows));
    for (std::size_t r = 0; r < sigma.size(); ++r) sigma[r] = estimator_.sigma(static_cast<int>(r));
    return sigma;
  }
  /// After the outputs, each that is not among them.
  std::vector<std::string> with_pairs(const std::vector<std::string>& outputs) const {
    std::vector<std::string> names = Outputs(*system_, outputs).columns();
    add_names(pairs_, names);
    return names;
  }
  std::array<Estimator::Inputs, Batch::lanes> inputs_of(const std::vector<const double*>& rows) const noexcept {
    const Model& model = system_->model();
    std::array<Estimator::Inputs, Batch::lanes> inputs{};
    for (std::size_t k = 0; k < std::min(rows.size(), inputs.size()); ++k)
      inputs[k] = {rows[k], rows[k] + model.nq, rows[k] + model.nq + model.nv};
    return inputs;
  }
  /// Whether the last sample leaves that output open.
  bool is_open(std::size_t c) const {
    return at_state_ ? !at_state_->determined[c] : !estimator_.determined(static_cast<int>(c));
  }
  bool leaves_open() const {
    for (std::size_t c = 0; c < outputs_; ++c)
      if (is_open(c)) return true;
    return false;
  }
  Answer judged(bool ok) const {
    Answer answer;
    answer.ok = ok;
    if (at_state_) {
      const bool contradicts = !at_state_->contradicting.empty();
      answer.partly_determined = !contradicts && leaves_open();
      answer.failed = contradicts || answer.partly_determined;
      answer.backward_error = at_state_->backward_error;
    } else {
      const bool open = status_.ok() && leaves_open();
      answer.partly_determined = open && !estimator_.offsets().open.empty();
      answer.failed = open || !status_.ok();
      answer.outlier = status_.outlier;
      answer.backward_error = status_.backward_error, answer.componentwise_error = status_.componentwise_error;
      answer.growth = status_.growth;
    }
    if (answer.partly_determined && wanted_.outputs.empty() && status_.missing == 0) answer.failed = false;
    return answer;
  }
  /// Where the plan's order fails, the rows may determine what they do elsewhere, or an insufficient set less: that is
  /// answered. A set that leaves nothing open elsewhere fails where it does.
  bool solve_at_state(const double* q, const double* v, const double* y, double* results) {
    if (status_.state == LUState::not_finite_input) return false;
    const std::vector<double> sigma = sigmas();
    at_state_ = estimate_at_state(*system_, written_, sigma, q, v, y, estimator_.offsets(), true, places_of(pairs_, written_));
    const Model& model = system_->model();
    state_.assign(q, q + model.nq), state_.insert(state_.end(), v, v + model.nv);
    readings_.assign(y, y + system_->inputs().size());
    if (!at_state_->contradicting.empty()) return false;
    if (!insufficient_ && status_.missing == 0 && at_state_->open > 0) {
      at_state_.reset();
      return false;
    }
    ++at_singular_states_;
    with_gaps_ += at_state_->missing > 0;
    chi_square_ += at_state_->chi_square, redundancy_ += at_state_->redundancy;
    std::copy_n(at_state_->outputs.begin(), outputs_, results);
    status_.chi_square = at_state_->chi_square;
    write_spread(at_state_->deviations, at_state_->covariances, at_state_->innovations, results);
    return true;
  }
  /// The columns beyond the outputs.
  void write_spread(const std::vector<double>& deviations, const std::vector<double>& covariances,
                    const std::vector<double>& innovations, double* results) {
    double* next = std::copy_n(deviations.begin(), wanted_.deviations ? outputs_ : 0, results + outputs_);
    next = std::copy_n(covariances.begin(), pairs_.size(), next);
    if (!wanted_.innovations) return;
    *next++ = status_.chi_square;
    for (int r : noisy_) *next++ = innovations[r];
    count_innovations(next - noisy_.size());
  }
  /// innovations: of noisy_.
  void count_innovations(const double* innovations) noexcept {
    for (int r : noisy_) {
      const int sensor = system_->measurements()[system_->equations()[r].measurement].sensor;
      SumOfSquares& sum = by_sensor_[static_cast<std::size_t>(sensor)];
      sum.seen = true;
      if (*innovations != 0) sum.squares += *innovations * *innovations, ++sum.count;
      ++innovations;
    }
  }
  std::vector<std::string> names(const std::vector<int>& rows) const {
    std::vector<std::string> found;
    for (int r : rows) found.push_back(system_->equation_names()[r]);
    return found;
  }

  /// Whether what the last row leaves open is so for the offsets alone.
  bool left_open_by_offsets() const {
    if (!at_state_) return status_.missing == 0 && !estimator_.offsets().open.empty();
    for (std::size_t c = 0; c < outputs_; ++c)
      if (!at_state_->determined[c] && !at_state_->follows_open_offset[c]) return false;
    return true;
  }

  EstimatorOptions options(const std::vector<std::string>& outputs) const {
    EstimatorOptions made;
    made.outputs = outputs;
    made.standard_deviations = wanted_.deviations;
    made.innovations = wanted_.innovations;
    made.covariances = pairs_of(*system_, wanted_);
    made.in_batches = true;
    made.huber = wanted_.huber;
    made.close_gaps = [closer = closer_](const std::vector<char>& missing) { return closer->close(missing); };
    made.replan = [system = system_, searched = searched_, plans = wanted_.plans,
                   seen = std::map<std::vector<char>, int>()](const std::vector<char>& missing) mutable {
      return plan_for_gaps(*system, plans, missing, ++seen[missing], *searched);
    };
    return made;
  }

  SensorSolverOptions wanted_;
  std::shared_ptr<long> searched_ = std::make_shared<long>(0);  // plans for gaps
  std::shared_ptr<const EstimatorPlan> plan_;
  std::shared_ptr<const GapCloser> closer_;
  LogEstimator log_;
  Estimator& estimator_;
  OutputPairs pairs_;               // whose covariances are columns
  Outputs written_;                 // at singular states: the outputs, then what else the pairs name
  std::vector<std::string> names_;  // of the rows, as the log calls their columns
  std::unique_ptr<Corrector> corrector_;
  EstimateStatus status_;
  std::optional<StateEstimate> at_state_;  // the last row, where the plan's order fails
  std::vector<double> state_, readings_;   // of that row: q and v, y
  bool insufficient_ = false;
  int expected_ = 0, next_ = 0, taken_ = 0;  // rows prepared, those that solve() has taken, and the last of them
  long line_ = 0;
  std::size_t outputs_ = 0;
  std::vector<int> noisy_;
  std::vector<SumOfSquares> by_sensor_;
  double chi_square_ = 0;
  std::int64_t redundancy_ = 0;
  long with_gaps_ = 0, at_singular_states_ = 0, reweighted_ = 0, unsettled_ = 0;
};

}  // namespace

std::unique_ptr<RowAnswers> make_estimated_rows(const std::shared_ptr<const System>& system,
                                                const SensorSolverOptions& options) {
  PlannedEstimate found = planned_estimate(*system, options.plans, options.outputs);
  auto rows = std::make_unique<EstimatedRows>(system, std::move(found.plan), found.outputs, options);
  rows->making = std::move(found.making);
  return rows;
}

}  // namespace sparsedyn
