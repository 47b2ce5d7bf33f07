#include "estimated_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>

#include "cli/reports/determinacy_report.hpp"
#include "cli/reports/estimate_words.hpp"
#include "cli/support/exit_code.hpp"
#include "cli/support/messages.hpp"
#include "cli/support/output_names.hpp"
#include "cli/support/planning.hpp"
#include "corrector.hpp"
#include "plan_cache.hpp"
#include "sparsedyn/determinacy/determinacy.hpp"
#include "sparsedyn/logs/log_estimator.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/runtime/estimator.hpp"

namespace sparsedyn::cli {
namespace {

class EstimatedRows : public RowSolver {
 public:
  EstimatedRows(std::shared_ptr<const System> system, std::shared_ptr<const EstimatorPlan> plan,
                const std::vector<std::string>& outputs, const Wanted& wanted)
      : RowSolver(std::move(system)),
        wanted_(wanted),
        plan_(std::move(plan)),
        closer_(std::make_shared<const GapCloser>(system_)),
        log_(system_, plan_, options(outputs)),
        estimator_(log_.estimator()),
        written_(*system_, outputs),
        words_(*system_, log_) {
    insufficient_ = std::find(plan_->undetermined.begin(), plan_->undetermined.end(), char(1)) != plan_->undetermined.end();
    columns_ = estimator_.output_columns();
    outputs_ = columns_.size();
    if (wanted.deviations)
      for (std::size_t c = 0; c < outputs_; ++c) columns_.push_back("sd." + columns_[c]);
    if (!wanted.innovations) return;
    columns_.push_back("chi2");
    for (int r = 0; r < system_->pattern().rows; ++r)
      if (estimator_.sigma(r) > 0 && system_->equations()[r].measurement >= 0) {
        noisy_.push_back(r);
        columns_.push_back("innovation." + system_->equation_names()[r]);
      }
  }

  std::size_t outputs() const override { return outputs_; }
  std::unique_ptr<RowSolver> another() const override {
    auto made = std::make_unique<EstimatedRows>(system_, plan_, estimator_.output_columns(), wanted_);
    made->log_.adopt_offsets(log_);
    return made;
  }
  bool set_sigma(int row, double sigma) override { return estimator_.set_sigma(row, sigma); }
  std::size_t batch() const override { return Batch::lanes; }
  void expect(const std::vector<const double*>& rows) override {
    const Model& model = system_->model();
    std::array<Estimator::Inputs, Batch::lanes> inputs;
    for (std::size_t k = 0; k < rows.size(); ++k) inputs[k] = {rows[k], rows[k] + model.nq, rows[k] + model.nq + model.nv};
    expected_ = static_cast<int>(rows.size()), next_ = 0;
    log_.prepare(inputs.data(), expected_);
  }
  bool learning() const override { return log_.learning(); }
  void begin_pass() override { log_.begin(); }
  bool learn(const std::vector<const double*>& rows) override {
    const Model& model = system_->model();
    std::array<Estimator::Inputs, Batch::lanes> inputs;
    for (std::size_t k = 0; k < rows.size(); ++k) inputs[k] = {rows[k], rows[k] + model.nq, rows[k] + model.nq + model.nv};
    return log_.learn(inputs.data(), static_cast<int>(rows.size()));
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
  void at_line(long line) override { line_ = line; }
  void name_columns(const std::vector<std::string>& read_from) override { words_.name_columns(read_from); }

  bool solve(const double* q, const double* v, const double* y, double* results) override {
    if (next_ < expected_)
      taken_ = next_, status_ = log_.take(next_++, line_, results);
    else
      taken_ = 0, status_ = log_.estimate({q, v, y}, line_, results);
    at_state_.reset();
    if (!status_.ok()) return solve_at_state(q, v, y, results);
    reweighted_ += status_.reweighted > 0;
    unsettled_ += status_.unsettled > 0;
    with_gaps_ += status_.missing > 0;
    chi_square_ += status_.chi_square, redundancy_ += status_.redundancy;
    write_spread(estimator_.standard_deviations(), estimator_.innovations(), results);
    return true;
  }
  std::string why() const override {
    if (at_state_ && !at_state_->contradicting.empty())
      return "exact rows contradict each other at this state: " + listing(names(at_state_->contradicting));
    if (!at_state_ && !status_.ok()) return estimator_.describe(status_);
    std::vector<std::string> open;
    for (std::size_t c = 0; c < outputs_; ++c)
      if (at_state_ ? !at_state_->determined[c] : !estimator_.determined(static_cast<int>(c))) open.push_back(columns_[c]);
    if (open.empty()) return "";
    if (left_open_by_offsets()) return "offsets that the log does not tell leave open " + listing(open);
    return (status_.missing > 0 ? "what is left of the measurements does not determine "
                                : "at this state the sensors do not determine ") +
           listing(open);
  }
  bool partly_determined() const override {
    if (!at_state_) return status_.ok() && !estimator_.offsets().open.empty() && !why().empty();
    return at_state_->contradicting.empty() && !why().empty();
  }
  bool failed() const override {
    return RowSolver::failed() && !(partly_determined() && wanted_.outputs.empty() && status_.missing == 0);
  }
  bool outlier() const override { return !at_state_ && status_.outlier; }
  double backward_error() const override { return at_state_ ? at_state_->backward_error : status_.backward_error; }
  double componentwise_error() const override { return at_state_ ? 0.0 : status_.componentwise_error; }
  double growth() const override { return at_state_ ? 1.0 : status_.growth; }
  bool takes_gaps() const override { return true; }
  std::optional<Recordable> recordable() const override {
    if (wanted_.innovations || wanted_.huber > 0 || !log_.offset_names().empty()) return {};
    Recordable found{*system_, estimator_.output_columns()};
    found.estimator_plan = plan_.get(), found.deviations = wanted_.deviations;
    return found;
  }
  bool accept(const double* y, const double* chi_square) override {
    if (log_.glance(y) || estimator_.is_outlier(*chi_square, plan_->redundancy)) return false;
    log_.pass_over();
    chi_square_ += *chi_square;
    redundancy_ += plan_->redundancy;
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
  Json offsets_file(double scale) const override { return words_.offsets_file(scale); }
  void tell_scaled(bool scaled) override { wanted_.scaled = scaled; }
  bool redundant() const override { return plan_->redundancy > 0; }
  ChiSquare chi_square() const override { return {chi_square_, redundancy_ - words_.offsets_known()}; }
  std::string strategy() const override { return "estimator, " + plan_->plan.strategy; }

  void add_details(Json& summary) const override {
    const EstimateWords words = judged();
    summary["remedies"] = {
        {"refined", estimator_.counts().refined}, {"replanned", estimator_.replanned()}, {"searched", *searched_}};
    summary["rows_with_gaps"] = with_gaps_;
    summary["rows_at_singular_states"] = at_singular_states_;
    words.add_chi_square(summary);
    if (!log_.offset_names().empty()) {
      summary["biases"] = words.offsets_json();
      summary["rows_not_learnt"] = log_.samples_passed_over();
    }
    summary["outliers"] = words_.outliers_json();
    if (wanted_.huber > 0) {
      summary["rows_reweighted"] = reweighted_, summary["rows_not_judged"] = at_singular_states_;
      summary["rows_not_settled"] = unsettled_;
    }
    if (!wanted_.innovations || wanted_.for_page) return;
    Json& sensors = summary["innovations"] = Json::object();
    for (const auto& [sensor, sum] : by_sensor_) sensors[system_->sensors().sensors[sensor].name] = sum.rms();
  }
  std::string details_text() const override {
    char line[160];
    const EstimateWords words = judged();
    std::string text = words.chi_square_text() + words.offsets_text();
    if (log_.samples_passed_over() > 0)
      text += "rows that the offsets could not be learnt from: " + std::to_string(log_.samples_passed_over()) + "\n";
    for (const auto& [sensor, sum] : by_sensor_) {
      if (wanted_.for_page) break;
      std::snprintf(line, sizeof line, ": innovations of rms %.3g (1 where the noise is as stated)\n", sum.rms());
      text += "  " + system_->sensors().sensors[sensor].name + line;
    }
    if (wanted_.huber > 0) text += "rows with readings that count less (Huber): " + std::to_string(reweighted_) + "\n";
    if (wanted_.huber > 0 && at_singular_states_ > 0)
      text += "rows at states where no planned order serves, whose readings all count fully and are not judged: " +
              std::to_string(at_singular_states_) + "\n";
    if (unsettled_ > 0)
      text += "rows whose reweighting ended before it had settled, so that their estimates are not quite Huber's: " +
              std::to_string(unsettled_) + "\n";
    return text + words_.outliers_text();
  }

 private:
  EstimateWords judged() const {
    EstimateWords words = words_;
    words.judge({chi_square_, redundancy_}, wanted_.scaled);
    return words;
  }
  /// Where the plan's order fails, the rows may determine what they do elsewhere, or an insufficient set less: that is
  /// answered. A set that leaves nothing open elsewhere fails where it does.
  bool solve_at_state(const double* q, const double* v, const double* y, double* results) {
    if (status_.state == LUState::not_finite_input) return false;
    std::vector<double> sigma(static_cast<std::size_t>(system_->pattern().rows));
    for (std::size_t r = 0; r < sigma.size(); ++r) sigma[r] = estimator_.sigma(static_cast<int>(r));
    at_state_ = estimate_at_state(*system_, written_, sigma, q, v, y, estimator_.offsets());
    if (!at_state_->contradicting.empty()) return false;
    if (!insufficient_ && status_.missing == 0 && at_state_->open > 0) {
      at_state_.reset();
      return false;
    }
    ++at_singular_states_;
    with_gaps_ += at_state_->missing > 0;
    chi_square_ += at_state_->chi_square, redundancy_ += at_state_->redundancy;
    std::copy(at_state_->outputs.begin(), at_state_->outputs.end(), results);
    status_.chi_square = at_state_->chi_square;
    write_spread(at_state_->deviations, at_state_->innovations, results);
    return true;
  }
  /// The columns beyond the outputs.
  void write_spread(const std::vector<double>& deviations, const std::vector<double>& innovations, double* results) {
    double* next = std::copy_n(deviations.begin(), wanted_.deviations ? outputs_ : 0, results + outputs_);
    if (!wanted_.innovations) return;
    *next++ = status_.chi_square;
    for (int r : noisy_) {
      *next = innovations[r];
      Squares& sum = by_sensor_[system_->measurements()[system_->equations()[r].measurement].sensor];
      if (*next != 0) sum.squares += *next * *next, ++sum.count;
      ++next;
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

  struct Squares {
    double squares = 0;
    long count = 0;
    double rms() const { return count ? std::sqrt(squares / static_cast<double>(count)) : 0.0; }
  };
  EstimatorOptions options(const std::vector<std::string>& outputs) const {
    EstimatorOptions made;
    made.outputs = outputs;
    made.standard_deviations = wanted_.deviations;
    made.innovations = wanted_.innovations;
    made.in_batches = true;
    made.huber = wanted_.huber;
    made.close_gaps = [closer = closer_](const std::vector<char>& missing) { return closer->close(missing); };
    // A search takes as long as some hundred decisions at a state (estimate_at_state): only what comes often is worth one.
    made.replan = [system = system_, searched = searched_, remembers = wanted_.remembers_gaps,
                   seen = std::map<std::vector<char>, int>()](
                      const std::vector<char>& missing) mutable -> std::shared_ptr<const EstimatorPlan> {
      constexpr int worth_a_plan = 150;
      const int times = ++seen[missing];
      if (times != 1 && times != worth_a_plan) return nullptr;
      const PlanCache cache(*system);
      if (times == 1) return remembers ? cache.find(missing) : nullptr;
      ++*searched;
      std::shared_ptr<const EstimatorPlan> plan = plan_estimator(*system, missing);
      if (remembers) cache.keep(missing, *plan);
      return plan;
    };
    return made;
  }

  Wanted wanted_;
  std::shared_ptr<long> searched_ = std::make_shared<long>(0);  // plans for gaps
  std::shared_ptr<const EstimatorPlan> plan_;
  std::shared_ptr<const GapCloser> closer_;
  LogEstimator log_;
  Estimator& estimator_;
  Outputs written_;
  EstimateWords words_;
  std::unique_ptr<Corrector> corrector_;
  EstimateStatus status_;
  std::optional<StateEstimate> at_state_;  // the last row, where the plan's order fails
  bool insufficient_ = false;
  int expected_ = 0, next_ = 0, taken_ = 0;  // rows prepared, those that solve() has taken, and the last of them
  long line_ = 0;
  std::size_t outputs_ = 0;
  std::vector<int> noisy_;
  std::map<int, Squares> by_sensor_;
  double chi_square_ = 0;
  long redundancy_ = 0, with_gaps_ = 0, at_singular_states_ = 0, reweighted_ = 0, unsettled_ = 0;
};

/// Splits the outputs into those that the plan determines (returned) and the others.
std::vector<std::string> determined(const System& system, const EstimatorPlan& plan, const std::vector<std::string>& outputs,
                                    std::vector<std::string>& open) {
  const Outputs all(system, outputs);
  std::vector<std::string> kept;
  for (std::size_t c = 0; c < all.columns().size(); ++c) {
    const std::vector<int>& reads = all.unknowns_of(static_cast<int>(c));
    const bool left_open = std::any_of(reads.begin(), reads.end(), [&](int u) { return plan.undetermined[u] != 0; });
    (left_open ? open : kept).push_back(all.columns()[c]);
  }
  return kept;
}

}  // namespace

EstimatedOutputs estimated_outputs(const std::shared_ptr<const System>& system, const Wanted& wanted,
                                   const CommonOptions& common) {
  EstimatedOutputs found;
  try {
    found.plan = estimator_plan_for(*system, wanted.plan, common);
  } catch (const RedundantExactRows& redundant) {
    throw AnswerIsNo(redundant.what(), json_text(to_json(*system, determinacy(*system))));
  }
  std::vector<std::string> open;
  const bool asked = !wanted.outputs.empty();
  found.outputs = determined(*system, *found.plan, asked ? wanted.outputs : default_outputs(*system), open);
  if (!open.empty()) {
    if (asked) {
      const Determinacy verdict = determinacy(*system);
      throw AnswerIsNo("the sensors do not determine " + listing(open) + "\n" + in_words(*system, verdict),
                       json_text(to_json(*system, verdict)));
    }
    warn(common, "left out, for the sensors do not determine it: " + listing(open));
  }
  if (found.outputs.empty())
    throw AnswerIsNo("nothing is determined that could be written", json_text(to_json(*system, determinacy(*system))));
  return found;
}

std::unique_ptr<RowSolver> make_estimated_rows(std::shared_ptr<const System> system, const Wanted& wanted,
                                               const CommonOptions& common) {
  EstimatedOutputs found = estimated_outputs(system, wanted, common);
  return std::make_unique<EstimatedRows>(std::move(system), std::move(found.plan), found.outputs, wanted);
}

}  // namespace sparsedyn::cli
