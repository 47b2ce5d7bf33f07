#include "sparsedyn/answers/sensor_solver.hpp"

#include <exception>
#include <stdexcept>
#include <utility>

#include "row_answers.hpp"

namespace sparsedyn {

UndeterminedOutputs::UndeterminedOutputs(const std::string& what, std::vector<std::string> open, bool asked)
    : std::runtime_error(what), outputs(std::move(open)), by_name(asked) {}

SensorSolver::SensorSolver(std::shared_ptr<const System> system, SensorSolverOptions options)
    : options_(std::move(options)), rows_(make_row_answers(system, options_)) {}

SensorSolver::SensorSolver(const Model& model, const SensorSet& sensors, SensorSolverOptions options)
    : SensorSolver(std::make_shared<const System>(model, sensors), std::move(options)) {}

SensorSolver::SensorSolver(std::unique_ptr<RowAnswers> rows, SensorSolverOptions options)
    : options_(std::move(options)), rows_(std::move(rows)) {}

SensorSolver::~SensorSolver() = default;
SensorSolver::SensorSolver(SensorSolver&&) noexcept = default;
SensorSolver& SensorSolver::operator=(SensorSolver&&) noexcept = default;

SensorSolver SensorSolver::for_another_thread() const { return SensorSolver(rows_->another(), options_); }

const System& SensorSolver::system() const { return rows_->system(); }
const std::shared_ptr<const System>& SensorSolver::shared_system() const { return rows_->shared_system(); }
const SensorSolverOptions& SensorSolver::options() const { return options_; }
const std::vector<std::string>& SensorSolver::columns() const { return rows_->columns(); }
std::size_t SensorSolver::outputs() const { return rows_->outputs(); }
bool SensorSolver::takes_gaps() const { return rows_->takes_gaps(); }

Answer SensorSolver::solve(const double* q, const double* v, const double* y, double* out) noexcept {
  threw_ = false;
  try {
    return rows_->solve(q, v, y, out);
  } catch (const std::exception& thrown) {
    threw_ = true;
    try {
      thrown_ = thrown.what();
    } catch (...) {  // the text takes memory, too
    }
  }
  return {};
}

std::string SensorSolver::describe() const { return threw_ ? thrown_ : rows_->why(); }

bool SensorSolver::set_sigma(int row, double sigma) noexcept {
  bool set = rows_->set_sigma(row, sigma);
  for (SensorSolver& other : others_) set = other.set_sigma(row, sigma) && set;
  return set;
}

SolveReport SensorSolver::report() const {
  SolveReport report;
  report.making = rows_->making;
  rows_->report(report);
  return report;
}

void SensorSolver::name_columns(const std::vector<std::string>& read_from) { rows_->name_columns(read_from); }

std::size_t SensorSolver::batch() const { return rows_->batch(); }
void SensorSolver::expect(const std::vector<const double*>& samples) noexcept { rows_->expect(samples); }
void SensorSolver::at_line(long line) noexcept { rows_->at_line(line); }

bool SensorSolver::learning() const { return rows_->learning(); }
void SensorSolver::begin_pass() { rows_->begin_pass(); }
bool SensorSolver::learn(const std::vector<const double*>& samples) noexcept { return rows_->learn(samples); }
void SensorSolver::end_pass() { rows_->end_pass(); }
std::vector<double> SensorSolver::learnt() const { return rows_->learnt(); }
void SensorSolver::settle(const std::vector<double>& learnt) { rows_->settle(learnt); }

const CorrectedReadings* SensorSolver::corrected(const double* q, const double* v, const double* y) {
  return rows_->corrected(q, v, y);
}

std::vector<double> RowAnswers::covariance(const OutputPairs&) {
  throw std::logic_error("covariance: the sensors are solved exactly; expected a solver with deviations");
}
std::vector<double> SensorSolver::covariance(const OutputPairs& pairs) { return rows_->covariance(pairs); }

std::optional<AnswerPlan> SensorSolver::plan() const { return rows_->plan(); }
bool SensorSolver::accept(const double* y, const double* more) noexcept { return rows_->accept(y, more); }

}  // namespace sparsedyn
