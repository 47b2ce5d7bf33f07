// What answers the samples of a SensorSolver: a Solver (solved_rows.cpp) or an Estimator (estimated_rows.cpp).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/spread/covariances.hpp"
#include "sparsedyn/answers/sensor_solver.hpp"

namespace sparsedyn {

/// As the functions of SensorSolver that have these names.
class RowAnswers {
 public:
  virtual ~RowAnswers() = default;
  const System& system() const { return *system_; }
  const std::shared_ptr<const System>& shared_system() const { return system_; }
  const std::vector<std::string>& columns() const { return columns_; }
  virtual std::size_t outputs() const { return columns_.size(); }
  virtual bool takes_gaps() const { return false; }

  virtual std::unique_ptr<RowAnswers> another() const = 0;
  virtual bool set_sigma(int /*row*/, double /*sigma*/) noexcept { return false; }

  virtual std::size_t batch() const { return 1; }
  virtual void expect(const std::vector<const double*>& /*samples*/) noexcept {}
  virtual bool learning() const { return false; }
  virtual void begin_pass() {}
  virtual bool learn(const std::vector<const double*>& /*samples*/) noexcept { return false; }
  virtual void end_pass() {}
  virtual std::vector<double> learnt() const { return {}; }
  virtual void settle(const std::vector<double>& /*learnt*/) {}
  virtual void at_line(long /*line*/) noexcept {}
  /// Whether the order of the samples counts.
  virtual bool in_order() const { return false; }

  /// May throw what memory and rank decisions at a state throw.
  virtual Answer solve(const double* q, const double* v, const double* y, double* results) = 0;
  virtual std::string why() const = 0;

  virtual const CorrectedReadings* corrected(const double* /*q*/, const double* /*v*/, const double* /*y*/) { return nullptr; }
  virtual std::vector<double> covariance(const OutputPairs& pairs);
  virtual std::optional<AnswerPlan> plan() const { return {}; }
  virtual bool accept(const double* /*y*/, const double* /*more*/) noexcept { return true; }
  virtual void name_columns(const std::vector<std::string>& /*read_from*/) {}
  virtual void report(SolveReport& into) const = 0;

  /// How it was made.
  SolverMaking making;

 protected:
  explicit RowAnswers(std::shared_ptr<const System> system) : system_(std::move(system)) {}
  std::shared_ptr<const System> system_;
  std::vector<std::string> columns_;
};

/// Throws as the constructor of SensorSolver does.
std::unique_ptr<RowAnswers> make_row_answers(const std::shared_ptr<const System>& system, const SensorSolverOptions& options);

}  // namespace sparsedyn
