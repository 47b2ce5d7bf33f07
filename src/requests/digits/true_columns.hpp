// What a program of a sensor set ought to give: the answers of the Solver or the Estimator with the same plan, which refine
// their solutions.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sparsedyn/answers/sensor_solver.hpp"

namespace sparsedyn {

/// The inputs of a set's program.
struct ColumnInputs {
  std::vector<double> q, v, y;  // y: all of System::inputs()
};

/// The answers at one sample.
struct TrueColumns {
  bool known = false;         // the plan's order, or its fallback, has an accurate answer there
  std::vector<double> value;  // of columns(); not finite: none
};

/// Use one object for each thread.
class TrueAnswers {
 public:
  /// Of the plan's outputs and, of an estimate, the deviations and innovations that are asked for. `from` and its solver must
  /// outlive it.
  static std::unique_ptr<TrueAnswers> of(const AnswerPlan& from);
  virtual ~TrueAnswers() = default;
  /// As a program names its outputs: `tau.knee`, `sd.tau.knee`, `innovation.tau.knee`, `chi2`.
  const std::vector<std::string>& columns() const { return columns_; }
  /// Of any number of samples; Batch::lanes of them are estimated in the time of few.
  virtual std::vector<TrueColumns> at(const std::vector<ColumnInputs>& samples) = 0;

 protected:
  std::vector<std::string> columns_;
};

}  // namespace sparsedyn
