// What answers a row of a log: the planned system where the set is determined, the estimator where it knows more or less than
// that, or where deviations are asked for.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/support/json_text.hpp"
#include "sparsedyn/codegen/sensor_program.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn::cli {

struct CommonOptions;

/// What is wanted of each row.
struct Wanted {
  std::string plan;                  // path, or empty
  std::vector<std::string> outputs;  // as asked for; empty: the tau and ddq that the set does not hold exactly
  bool deviations = false;           // a column sd.OUTPUT beside each
  bool innovations = false;          // chi2, and innovation.COLUMN for each noisy row
  bool estimated = false;            // by the estimator even where a solve would do
};

class RowSolver {
 public:
  virtual ~RowSolver() = default;
  const System& system() const { return *system_; }
  const std::shared_ptr<const System>& shared_system() const { return system_; }
  /// Result columns; the first outputs() of them are quantities of the robot.
  const std::vector<std::string>& columns() const { return columns_; }

  /// The same for another thread, with a plan in common; nothing where that cannot be.
  virtual std::unique_ptr<RowSolver> another() const { return nullptr; }
  /// The standard deviation of a row's noise, from the next row on; false where the row has none.
  virtual bool set_sigma(int /*row*/, double /*sigma*/) { return false; }

  /// How many rows are best read before they are solved, and the inputs (q, v, y) of those that come next, each of which is
  /// then solved in turn.
  virtual std::size_t batch() const { return 1; }
  virtual void expect(const std::vector<const double*>& /*rows*/) {}

  /// One row: columns().size() results, NaN where the row leaves a column undetermined. False where it cannot be answered.
  virtual bool solve(const double* q, const double* v, const double* y, double* results) = 0;
  /// Of the last row: what went wrong, or was left undetermined; empty if nothing.
  virtual std::string why() const = 0;
  /// Whether the last row's state leaves open what other states determine: its other columns are answered.
  virtual bool partly_determined() const { return false; }
  /// Whether what it leaves open is a failure: it was asked for by name, or a gap is the cause.
  virtual bool failed() const { return !why().empty(); }
  virtual double backward_error() const = 0;
  virtual double componentwise_error() const = 0;
  virtual double growth() const = 0;
  /// Whether an empty measurement (`y.*`) is a gap and not an error.
  virtual bool takes_gaps() const { return false; }

  /// The same answers as a program that reads these inputs, and, if asked to, the noisy rows' weights too: outputs named as
  /// columns(), then what accept() takes. None where rows need more than a program gives.
  virtual std::optional<Program> program(const ReadInputs& read, bool weights = false) const = 0;
  /// Counts a row that the program has answered; `more`: its outputs beyond the columns.
  virtual void accept(const double* /*more*/) {}

  /// The order's strategy, and what happened over all rows.
  virtual std::string strategy() const = 0;
  virtual void add_details(Json& summary) const = 0;
  virtual std::string details_text() const { return ""; }

 protected:
  explicit RowSolver(std::shared_ptr<const System> system) : system_(std::move(system)) {}
  std::shared_ptr<const System> system_;
  std::vector<std::string> columns_;
};

/// Whether some sensor has a sigma.
bool has_noisy_rows(const System& system);

/// Throws UnknownOutput, InputError, and AnswerIsNo where the plan does not fit, where an output asked for is undetermined, and
/// where exact rows follow from each other.
std::unique_ptr<RowSolver> make_row_solver(std::shared_ptr<const System> system, const Wanted& wanted,
                                           const CommonOptions& common);

}  // namespace sparsedyn::cli
