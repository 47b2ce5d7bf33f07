// What answers a row of a log: the planned system where the set is determined, the estimator where it knows more or less than
// that, or where deviations are asked for.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/support/json_text.hpp"
#include "sparsedyn/logs/agreement.hpp"
#include "sparsedyn/runtime/estimator.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn::cli {

struct CommonOptions;

/// What is wanted of each row.
struct Wanted {
  std::string plan;                  // path, or empty
  std::vector<std::string> outputs;  // as asked for; empty: the tau and ddq that the set does not hold exactly
  bool deviations = false;           // a column sd.OUTPUT beside each
  bool scaled = false;               // what is said of deviations is for the noise that the log shows (deviation_scale)
  bool innovations = false;          // chi2, and innovation.COLUMN for each noisy row
  bool for_page = false;             // innovations are drawn only: the summary does not speak of them
  bool estimated = false;            // by the estimator even where a solve would do
  double huber = 0;                  // Huber's threshold in standard deviations; 0: least squares
  bool remembers_gaps = true;        // plans for gaps come from the user's cache, and are kept there
};

/// A row's measurements after what the sensors' errors are known to be.
struct CorrectedReadings {
  std::vector<double> y;         // of each input: the reading less its offset, or its estimate; NaN: as the log has it
  std::vector<char> is_outlier;  // of each input
};

/// What a program that gives the same answers is recorded from; all of it lives as long as the row solver. One of the two
/// plans.
struct Recordable {
  const System& system;  // in the plan's formulation
  std::vector<std::string> outputs;
  const Plan* plan = nullptr;   // of a solve
  bool plan_is_chosen = false;  // by the user: no leaner formulation will do
  const EstimatorPlan* estimator_plan = nullptr;
  bool deviations = false;  // of an estimate
};

class RowSolver {
 public:
  virtual ~RowSolver() = default;
  const System& system() const { return *system_; }
  const std::shared_ptr<const System>& shared_system() const { return system_; }
  /// Result columns; the first outputs() of them are quantities of the robot.
  const std::vector<std::string>& columns() const { return columns_; }
  virtual std::size_t outputs() const { return columns_.size(); }

  /// The same for another thread, with a plan in common; nothing where that cannot be.
  virtual std::unique_ptr<RowSolver> another() const { return nullptr; }
  /// The standard deviation of a row's noise, from the next row on; false where the row has none.
  virtual bool set_sigma(int /*row*/, double /*sigma*/) { return false; }

  /// How many rows are best read before they are solved, and the inputs (q, v, y) of those that come next, each of which is
  /// then solved in turn.
  virtual std::size_t batch() const { return 1; }
  virtual void expect(const std::vector<const double*>& /*rows*/) {}
  /// Whether the log has to be gone through once more before rows are solved; then begin_pass(), learn() with all rows that can
  /// be read, batch by batch, until it says false, and end_pass().
  virtual bool learning() const { return false; }
  virtual void begin_pass() {}
  virtual bool learn(const std::vector<const double*>& /*rows*/) { return false; }
  virtual void end_pass() {}
  /// What learn() gathered in this pass, as numbers that add up over parts of a log; and the end of learning with such a sum.
  virtual std::vector<double> learnt() const { return {}; }
  virtual void settle(const std::vector<double>& /*learnt*/) {}
  /// The line of the log on which the row stands that is solved next.
  virtual void at_line(long /*line*/) {}

  /// One row: columns().size() results, NaN where the row leaves a column undetermined. False where it cannot be answered.
  virtual bool solve(const double* q, const double* v, const double* y, double* results) = 0;
  /// Of the last row: what went wrong, or was left undetermined; empty if nothing.
  virtual std::string why() const = 0;
  /// Whether the last row's state leaves open what other states determine: its other columns are answered.
  virtual bool partly_determined() const { return false; }
  /// Whether what it leaves open is a failure: it was asked for by name, or a gap is the cause.
  virtual bool failed() const { return !why().empty(); }
  /// Whether the last row's chi-square is an outlier.
  virtual bool outlier() const { return false; }
  virtual double backward_error() const = 0;
  virtual double componentwise_error() const = 0;
  virtual double growth() const = 0;
  /// Whether an empty measurement (`y.*`) is a gap and not an error.
  virtual bool takes_gaps() const { return false; }

  /// Of the last row, where it was solved. The estimate may not be asked for anything else afterwards. None: readings are not
  /// judged.
  virtual const CorrectedReadings* corrected(const double* /*q*/, const double* /*v*/, const double* /*y*/) { return nullptr; }
  /// The sensors' offsets as `solve --offsets` writes them, their deviations multiplied by `scale`.
  virtual Json offsets_file(double /*scale*/) const {
    return {{"offsets", Json::object()}, {"columns", Json::array()}, {"covariance", Json::array()}};
  }

  /// Whether the sensors say more than is needed, so that they can contradict each other; and over all rows how they do.
  virtual bool redundant() const { return false; }
  virtual ChiSquare chi_square() const { return {}; }
  /// Whether the details tell deviations for the noise that the log shows.
  virtual void tell_scaled(bool /*scaled*/) {}

  /// None where rows need more than a program gives.
  virtual std::optional<Recordable> recordable() const { return {}; }
  /// Reads a row that the recorded program has answered; `more`: its outputs beyond the columns. False: the row is for solve().
  virtual bool accept(const double* /*y*/, const double* /*more*/) { return true; }

  /// The order's strategy, and what happened over all rows.
  virtual std::string strategy() const = 0;
  virtual void add_details(Json& summary) const = 0;
  virtual std::string details_text() const { return ""; }
  /// How the log calls the column of each input, for messages.
  virtual void name_columns(const std::vector<std::string>& /*read_from*/) {}

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
