// Gyroscopes give no row in the accelerations and wrenches: what they should read follows from q and v, and is compared with
// the log.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/system/system.hpp"
#include "sparsedyn/system/workspace.hpp"

namespace sparsedyn {

class Gyroscopes {
 public:
  explicit Gyroscopes(const System& system);

  /// y.SENSOR.x and so on.
  const std::vector<std::string>& columns() const { return columns_; }
  /// Standard deviations that the set states, beside columns().
  const std::vector<double>& sigma() const { return sigma_; }
  /// rad/s, one a column. Costs an assembly.
  const double* predict(const double* q, const double* v);

 private:
  const System& system_;
  std::vector<const Measurement*> gyroscopes_;
  std::vector<std::string> columns_;
  SystemWorkspace<double> work_;
  std::vector<double> sigma_, y_, values_, right_side_, predicted_;
};

}  // namespace sparsedyn
