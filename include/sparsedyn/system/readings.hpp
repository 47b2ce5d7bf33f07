// What the sensors of a system should read, given its unknowns: simulated measurements, and innovations.
#pragma once

#include <vector>

#include "sparsedyn/system/system.hpp"
#include "sparsedyn/system/workspace.hpp"

namespace sparsedyn {

class Readings {
 public:
  /// The system must outlive it.
  explicit Readings(const System& system);

  /// At q (nq), v (nv) and the unknowns x: overwrites every entry of y (inputs) that a sensor's row reads. Entries that belong
  /// to no row (wrenches on links that have no unknown wrench) are kept and counted. A centre of pressure without a normal
  /// force is not finite. Cost: two assemblies. No heap.
  void predict(const double* q, const double* v, const double* x, double* y) noexcept;

 private:
  void residuals(const double* q, const double* v, const double* x, const double* y, std::vector<double>& out) noexcept;

  const System& system_;
  SystemWorkspace<double> work_;
  /// An input and the row that reads it.
  struct Read {
    int input, row;
  };
  std::vector<Read> reads_;
  std::vector<double> values_, right_side_, at_zero_, at_one_;
};

}  // namespace sparsedyn
