#include "true_columns.hpp"

#include <algorithm>
#include <limits>

#include "sparsedyn/runtime/estimator.hpp"
#include "sparsedyn/sparse/batch.hpp"

namespace sparsedyn {
namespace {

/// Something of the solver's, which keeps it.
template <class T>
std::shared_ptr<const T> kept_by_solver(const T* what) {
  return {std::shared_ptr<void>(), what};
}

class SolvedAnswers : public TrueAnswers {
 public:
  explicit SolvedAnswers(const AnswerPlan& from) : solver_(solver_of(from)) { columns_ = solver_.output_columns(); }

  std::vector<TrueColumns> at(const std::vector<ColumnInputs>& samples) override {
    std::vector<TrueColumns> answers(samples.size());
    for (std::size_t k = 0; k < samples.size(); ++k) {
      const ColumnInputs& in = samples[k];
      answers[k].value.resize(columns_.size());
      answers[k].known = solver_.solve(in.q.data(), in.v.data(), in.y.data(), answers[k].value.data()).ok();
    }
    return answers;
  }

 private:
  static Solver solver_of(const AnswerPlan& from) {
    SolverOptions options;
    options.outputs = from.outputs;
    return {kept_by_solver(&from.system), kept_by_solver(from.plan), options};
  }

  Solver solver_;
};

class EstimatedAnswers : public TrueAnswers {
 public:
  explicit EstimatedAnswers(const AnswerPlan& from) : from_(from), estimator_(estimator_of(from)) {
    const std::vector<std::string>& outputs = estimator_.output_columns();
    columns_ = outputs;
    for (std::size_t c = 0; from_.deviations && c < outputs.size(); ++c) columns_.push_back("sd." + outputs[c]);
    columns_.push_back("chi2");
    for (int r = 0; from_.innovations && r < from_.system.pattern().rows; ++r)
      if (from_.system.equations()[r].measurement >= 0 && from_.system.sigma_of(r) > 0) {
        rows_.push_back(r);
        columns_.push_back("innovation." + from_.system.equation_names()[r]);
      }
  }

  std::vector<TrueColumns> at(const std::vector<ColumnInputs>& samples) override {
    std::vector<TrueColumns> answers;
    for (std::size_t first = 0; first < samples.size(); first += Batch::lanes) {
      std::vector<Estimator::Inputs> inputs;
      for (std::size_t k = first; k < std::min(samples.size(), first + Batch::lanes); ++k)
        inputs.push_back({samples[k].q.data(), samples[k].v.data(), samples[k].y.data()});
      estimator_.prepare(inputs.data(), static_cast<int>(inputs.size()));
      for (std::size_t k = 0; k < inputs.size(); ++k) answers.push_back(taken(static_cast<int>(k)));
    }
    return answers;
  }

 private:
  static Estimator estimator_of(const AnswerPlan& from) {
    EstimatorOptions options;
    options.outputs = from.outputs, options.standard_deviations = from.deviations, options.innovations = from.innovations;
    options.in_batches = true;
    return {kept_by_solver(&from.system), kept_by_solver(from.estimator_plan), options};
  }

  TrueColumns taken(int k) {
    TrueColumns answer;
    answer.value.resize(estimator_.output_columns().size());
    const EstimateStatus status = estimator_.take(k, answer.value.data());
    answer.known = status.ok();
    if (!answer.known) return answer;
    if (from_.deviations)
      answer.value.insert(answer.value.end(), estimator_.standard_deviations().begin(), estimator_.standard_deviations().end());
    answer.value.push_back(status.chi_square);
    for (int r : rows_) {  // 0: no other reading predicts this one, at this state
      const double innovation = estimator_.innovations()[static_cast<std::size_t>(r)];
      answer.value.push_back(innovation == 0 ? std::numeric_limits<double>::quiet_NaN() : innovation);
    }
    return answer;
  }

  const AnswerPlan& from_;
  Estimator estimator_;
  std::vector<int> rows_;  // with innovations
};

}  // namespace

std::unique_ptr<TrueAnswers> TrueAnswers::of(const AnswerPlan& from) {
  if (from.estimator_plan) return std::make_unique<EstimatedAnswers>(from);
  return std::make_unique<SolvedAnswers>(from);
}

}  // namespace sparsedyn
