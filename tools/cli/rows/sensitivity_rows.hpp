// Derivatives of what a sensor set gives, row by row: by the planned system where the set determines all, else by the
// estimator.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "row_solver.hpp"
#include "sparsedyn/runtime/outputs.hpp"

namespace sparsedyn::cli {

class SensitivityRows {
 public:
  virtual ~SensitivityRows() = default;
  /// Derivatives of columns() at a row; false where it cannot be answered, why() then says so.
  virtual bool at(const double* q, const double* v, const double* y, const DerivativeArrays& into) noexcept = 0;
  /// The same of Σ weight[c] columns()[c]: arrays of one row each.
  virtual bool gradient(const double* q, const double* v, const double* y, const double* weight,
                        const DerivativeArrays& into) noexcept = 0;
  /// The standard deviation of a row's noise, from the next row on; false where the row has none.
  virtual bool set_sigma(int row, double sigma) noexcept = 0;
  virtual std::string why() const = 0;
  virtual const std::vector<std::string>& columns() const = 0;
  virtual std::string strategy() const = 0;
  virtual bool takes_gaps() const = 0;
  /// One more under the same plan, with the deviations that the set states: for another thread.
  virtual std::unique_ptr<SensitivityRows> another() const = 0;
};

/// Throws as make_row_solver does.
std::unique_ptr<SensitivityRows> make_sensitivity_rows(const std::shared_ptr<const System>& system, const Wanted& wanted,
                                                       const CommonOptions& common);

}  // namespace sparsedyn::cli
