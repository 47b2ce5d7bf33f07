// What answers the rows of a log in their order: a SensorSolver, or a compiled program beside it (programs/compiled_rows.hpp).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/support/json_text.hpp"
#include "sparsedyn/answers/sensor_solver.hpp"

namespace sparsedyn::cli {

class LogAnswers {
 public:
  /// drawn: innovations are for a page alone, and the summary does not speak of them.
  explicit LogAnswers(SensorSolver solver, bool drawn = false) : solver_(std::move(solver)), innovations_are_drawn_(drawn) {}
  virtual ~LogAnswers() = default;
  LogAnswers(const LogAnswers&) = delete;
  LogAnswers& operator=(const LogAnswers&) = delete;

  SensorSolver& solver() { return solver_; }
  const SensorSolver& solver() const { return solver_; }

  // As the functions of SensorSolver that have these names.
  virtual std::size_t batch() const { return solver_.batch(); }
  virtual void expect(const std::vector<const double*>& rows) { solver_.expect(rows); }
  virtual Answer solve(const double* q, const double* v, const double* y, double* results) {
    return solver_.solve(q, v, y, results);
  }
  virtual std::string why() const { return solver_.describe(); }

  /// Whether the details tell deviations for the noise that the log shows (deviation_scale).
  void tell_scaled(bool scaled) { scaled_ = scaled; }
  /// What happened over all rows.
  SolveReport report() const;
  virtual void add_details(Json& summary) const;
  virtual std::string details_text() const;

 protected:
  SensorSolver solver_;

 private:
  bool innovations_are_drawn_, scaled_ = false;
};

}  // namespace sparsedyn::cli
