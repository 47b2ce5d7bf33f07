// The runtime for sensor sets that know more, or less, than the dynamics need: the most likely x given exact rows, noisy
// rows and priors (augmented.hpp), with posterior standard deviations. The plan is static; a measurement that is missing in
// a sample only loses its weight, and one that is an outlier part of it. Searching for a plan is planning/optimise.hpp.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sparsedyn/runtime/outputs.hpp"
#include "sparsedyn/runtime/solver.hpp"
#include "sparsedyn/sparse/detail/augmented.hpp"
#include "sparsedyn/sparse/detail/lu_in_lanes.hpp"
#include "sparsedyn/sparse/detail/samples.hpp"
#include "sparsedyn/sparse/plan.hpp"
#include "sparsedyn/sparse/zero_fill_lu.hpp"
#include "sparsedyn/system/detail/rounding_probe.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

/// The order for samples whose gaps leave something open. Exact rows are eliminated first, by unknowns of their own; what is
/// left is YᵀW²Y + diag(p) on the others' null space, which is positive definite, whatever is missing, once nothing is open.
struct GapOrder {
  Augmented augmented;  // the plan's, with a place for a precision on each unknown that gaps may leave open
  Plan plan;            // of that
};

/// What a sample determines in which some noisy rows are missing (GapCloser).
struct GapClosing {
  std::vector<double>
      precision;  // of each unknown: its prior's, and 1 on some that the rest leaves open, which closes the system
  std::vector<char> undetermined;  // of each unknown
  int redundancy = 0;              // expected chi-square, each missing row yet to be taken off
};

struct EstimatorPlan;

/// For samples in which just these rows are missing.
struct PlannedGaps {
  std::vector<char> missing;                  // a flag for each row of the system
  std::shared_ptr<const EstimatorPlan> plan;  // of the others
};

/// What is fixed about estimating with one sensor set, or with one of its subsets. Made offline (planning/optimise.hpp).
struct EstimatorPlan {
  /// From the augmented system and a plan of it; the rest is filled in by who makes it.
  EstimatorPlan(Augmented a, Plan p) : augmented(std::move(a)), plan(std::move(p)) {}
  Augmented augmented;               // the least-squares problem as a square system
  Plan plan;                         // of the augmented system
  std::optional<Plan> missing_data;  // an order in which each noisy row is its residual's: it loses no pivot with a measurement
  std::optional<GapOrder> open_gaps;  // for gaps with which the rest leaves something open
  std::vector<PlannedGaps> gaps;      // for gaps that none of these orders serves: exact rows that are missing, for example
  std::vector<char> left_out;         // rows of the system that this plan does without
  std::vector<double> precision;      // 1/s² of each unknown's prior
  std::vector<char> undetermined;     // unknowns that the rows leave open (a unit precision on some of them closes the system)
  int redundancy = 0;                 // noisy rows beyond those needed: the expected chi-square
};

/// What a stored plan has to fit. The fingerprint covers the system's structure, which rows are exact, and which unknowns have
/// priors; sigmas and the numbers of priors may change.
struct EstimatorShape {
  Augmented augmented;      // as in EstimatorPlan
  UnitEntries unit;         // of its pattern
  std::string fingerprint;  // as above
  Augmented open_gaps;      // as in GapOrder: what such an order of a stored plan is for
};
/// Of all rows and priors of the system's set.
EstimatorShape estimator_shape(const System& system);
/// The plan for all rows with orders known beforehand, without any search: those of `stored`, which is a plan of the shape's
/// augmented system whose fallback order, if it has one, is for samples with gaps. Throws std::invalid_argument where the
/// orders of stored.gaps are none for this system. Cost: dense rank decisions, O(n³), one for each of stored.gaps too.
std::shared_ptr<const EstimatorPlan> plan_estimator(const System& system, Plan stored);
/// The plan for samples in which just some rows are missing, with an order known beforehand. Throws std::invalid_argument where
/// it is none for what is left of the system.
std::shared_ptr<const EstimatorPlan> plan_estimator(const System& system, const GapsOrder& gaps);
/// What a sample of readings (NaN: missing) lacks: a flag for each row of the system.
std::vector<char> missing_rows(const System& system, const double* y);
/// What a file keeps of an estimator's plan: `stored` above.
Plan stored_plan(const EstimatorPlan& plan);

/// What gaps in a sample leave open, so that one order serves every pattern of them. Where the noisy rows that are left no
/// longer determine all unknowns, the least-squares problem has many solutions. A unit precision on as many unknowns as there
/// are open directions picks one of them. What is determined does not change: the rows see nothing along the open directions,
/// so that these precisions are met by zeros.
///
/// Decides ranks at one general state. What is open there is open at every state; where a special state leaves more open, the
/// Estimator finds the sample's matrix singular.
class GapCloser {
 public:
  /// Throws std::invalid_argument without a system. Cost: the rows at one state.
  explicit GapCloser(std::shared_ptr<const System> system);
  ~GapCloser();
  GapCloser(GapCloser&&) noexcept;             // what is moved from may only be assigned to or destroyed
  GapCloser& operator=(GapCloser&&) noexcept;  // likewise

  /// `missing`: a flag for each row of the system; exact rows have none. Throws std::invalid_argument where one does. Cost: one
  /// dense factorisation of (noisy rows left) × (free unknowns); allocates.
  GapClosing close(const std::vector<char>& missing) const;

 private:
  struct Decided;
  std::unique_ptr<Decided> decided_;
};

/// The augmented matrices and right-hand sides that an Estimator solves, at `random` random states and all special ones. System
/// and plan must outlive it.
Samples augmented_samples(const System& system, const EstimatorPlan& plan, int random);

/// What an Estimator gives, and how far it goes.
struct EstimatorOptions {
  std::vector<std::string> outputs;  // as Outputs takes them; empty: every unknown
  bool standard_deviations = false;  // of each output; with those that the state's own (System::position_sigma) make
  bool innovations = false;          // of each noisy row
  double tolerance = 1e-12;          // of both backward errors
  bool in_batches = false;           // takes the memory for prepare()
  /// Residuals beyond so many standard deviations of the reading count in proportion, no longer squared (Huber 1964), by
  /// reweighting under the same plan. 0: all are squared. Bounds readings that others predict (redundancy ≥ 0.5).
  double huber = 0;
  /// Samples whose chi-square is an outlier: their suspects are left out (leave_out_suspects).
  bool gate = false;
  double false_alarm = 1e-6;  // of the chi-square's test
  bool derivatives = false;   // takes the memory for derivatives()
  /// Says what is open when the noisy rows flagged are missing and the rest no longer determines everything (GapCloser::close):
  /// the plan's order for open gaps then serves. It may allocate; up to 4096 answers are kept, so each is asked for once.
  std::function<GapClosing(const std::vector<char>& missing_rows)> close_gaps;
  /// Makes a plan for the same where that does not serve, or exact rows are missing; it may take long and allocate. Up to 4096
  /// plans are kept, so each is asked for once; where it gives none the sample fails.
  std::function<std::shared_ptr<const EstimatorPlan>(const std::vector<char>& missing_rows)> replan;
};

/// What one estimate found.
struct EstimateStatus : SolverStatus {
  double chi_square = 0;  // Σ ((y_i − Y_i x) / σ_i)² over the noisy rows, before any reweighting
  int redundancy = 0;     // its expectation, where the noise is what the set says
  int missing = 0;        // rows without a measurement
  bool outlier = false;   // the chi-square lies above its quantile 1 − false_alarm
  int reweighted = 0;     // readings that count less (huber) or are left out (gate)
  /// huber: the last relative change of a reading's weight, where the reweighting ended before it had settled; 0 where it had.
  double unsettled = 0;
};

/// Constant offsets of readings, known up to a covariance: what SensorOffsets finds.
struct TakenOff {
  std::vector<int> rows;           // of the system, n noisy ones, each once
  std::vector<double> value;       // n
  std::vector<double> covariance;  // n × n; empty: exactly known
  /// k × n, row by row: directions of the offsets that nothing tells. Outputs that depend on them are undetermined.
  std::vector<double> open = {};

  /// tᵀ C t: the variance that they give to what follows them by t (n). No heap.
  double variance(const double* t) const noexcept;
  /// Whether something of that deviation depends by t on what nothing tells of them. The directions are of the size of the
  /// readings' deviations. No heap.
  bool leave_open(const double* t, double deviation) const noexcept;
};

struct EstimatorDerivatives;
/// Deletes it where its type is complete.
struct DeleteEstimatorDerivatives {
  void operator()(EstimatorDerivatives* derivatives) const noexcept;  // as delete does
};
class BlockSolve;

/// Replays an EstimatorPlan at each sample. One a thread.
class Estimator {
 public:
  /// System and plan are shared; one Estimator a thread. Throws UnknownOutput, std::invalid_argument, ZeroPivot.
  Estimator(std::shared_ptr<const System> system, std::shared_ptr<const EstimatorPlan> plan, const EstimatorOptions& options);

  /// The system that it estimates.
  const System& system() const { return *system_; }
  /// The names of the outputs, in order.
  const std::vector<std::string>& output_columns() const { return outputs_.columns(); }

  /// q (nq, unit quaternions), v (nv), y (system().inputs(); NaN: missing in this sample) → out (output_columns()).
  /// Heap-free unless options.close_gaps or options.replan has to be asked. Outputs that the sample leaves undetermined become
  /// NaN, and determined(c) tells which.
  EstimateStatus estimate(const double* q, const double* v, const double* y, double* out) noexcept;

  /// One sample for prepare().
  struct Inputs {
    const double *q, *v, *y;  // as estimate() takes them; read by prepare() alone
  };
  /// For logs: computes up to Batch::lanes samples together (options.in_batches), each in a lane of the processor's vectors;
  /// take() then answers for each of them. Samples with gaps, and those that need refinement or another plan, are computed
  /// alone when they are taken. Without options.in_batches nothing is prepared, and of more samples than Batch::lanes only so
  /// many; take() of a sample that was not prepared finds LUState::no_sample and writes nothing. Heap-free as estimate() is.
  void prepare(const Inputs* samples, int count) noexcept;
  /// What estimate() would answer for the k-th prepared sample, to the last bit. In any order of k.
  EstimateStatus take(int k, double* out) noexcept;

  /// The standard deviation of a row's noise; takes effect at the next estimate() or prepare(), under the same plan. row: of
  /// the system. False, and nothing is changed, where the system has no such row or the set says that it is exact (the plan
  /// then holds it exactly, and a sigma would not enter), and where sigma is not one of 1e-100 to 1e100, as in files.
  [[nodiscard]] bool set_sigma(int row, double sigma) noexcept;
  /// The same for every noisy row of the sensor of that name, or for the one row of that column (`y.SENSOR…`).
  [[nodiscard]] bool set_sigma(std::string_view sensor, double sigma) noexcept;
  /// The rows of a sensor (`motors`) or of a column (`y.motors.knee`); none where there is no such name.
  std::vector<int> rows(std::string_view name) const;
  /// Offsets that are taken off the readings from the next estimate() or prepare() on; their uncertainty enters deviations and
  /// innovations. Allocates. Throws std::invalid_argument where rows are not noisy ones of the system, or sizes do not fit.
  void take_off(TakenOff offsets);
  /// New values of the offsets of the last take_off(), in its order. No heap.
  void set_offsets(const double* value) noexcept;
  /// What is taken off the readings.
  const TakenOff& offsets() const { return offsets_; }
  // Below, an index that does not exist throws std::out_of_range.
  /// The standard deviation of a noisy row's noise.
  double sigma(int row) const { return sigma_.at(static_cast<std::size_t>(row)); }

  // Of the last sample that was ok:
  /// All unknowns of the system.
  const double* unknowns() const { return sample_->solution.data(); }
  /// share/σ of a noisy row that is there, else 0. row: of the system.
  double weight(int row) const { return weight_.at(static_cast<std::size_t>(row)); }
  /// The root of the share with which a reading counts: 1, or less where it was reweighted.
  double share(int row) const { return share_.at(static_cast<std::size_t>(row)); }
  /// (y − Y x)/σ of the same row.
  double residual(int row) const {
    const double share_of_row = share(row);  // the row exists
    return sample_->solution[zero_.size() + static_cast<std::size_t>(row)] / share_of_row;
  }
  /// Whether a chi-square of so many redundant rows lies above its quantile (options.false_alarm).
  bool is_outlier(double chi_square, int redundancy) const noexcept;
  /// A reading against what all others predict for it. Their quotient is the innovation.
  struct AgainstOthers {
    double difference;  // reading less prediction, in σ of the reading
    double deviation;   // of that difference, likewise: ∞ where nothing else predicts the reading, or it is not there
  };
  /// Of a row in the last sample. One solve, no heap.
  AgainstOthers against_others(int row) noexcept;
  /// Where the last sample's chi-square is an outlier: leaves out the reading of the largest innovation, then the next, until
  /// it is none (data snooping: Baarda 1968). Returns their rows, the most suspicious first; unknowns(), residual() and
  /// weight() are then those without them, each reading that is kept at its full weight. At most most_suspects; stops before
  /// something becomes undetermined. As many solves as noisy rows for each; no heap.
  const std::vector<int>& leave_out_suspects() noexcept;
  static constexpr int most_suspects = 12;  // readings that one sample loses at most
  /// The row whose innovation is the largest, in the last sample, or −1. One solve a noisy row, no heap.
  int suspect() noexcept;
  /// Whether the sample determined that output (an index in output_columns()).
  bool determined(int output) const { return determined_.at(static_cast<std::size_t>(output)) != 0; }
  /// Posterior standard deviation of each output (options.standard_deviations). One solve an output.
  const std::vector<double>& standard_deviations() const { return sample_->deviations; }
  /// (y_i − Y_i x) over its own standard deviation, for each row of the system: of unit variance where the noise is what the
  /// set says (Baarda 1968); 0 for rows that are exact, missing, or without redundancy. One solve a noisy row.
  const std::vector<double>& innovations() const { return sample_->innovations; }

  /// Derivatives of the outputs of the last sample, with the readings' weights, gaps and order as they were for it
  /// (options.derivatives); NaN for outputs that it left undetermined. Otherwise as Solver::derivatives.
  EstimateStatus derivatives(const DerivativeArrays& into, DerivativeMode mode = DerivativeMode::automatic) noexcept;
  /// The gradient of Σ weight[c] output c, as Solver::gradient; NaN where a weighted output is undetermined.
  EstimateStatus gradient(const double* weight, const DerivativeArrays& into) noexcept;

  /// How often each remedy was needed, since construction.
  const SolverCounts& counts() const { return counts_; }
  /// How often options.replan was asked.
  long replanned() const { return replanned_; }
  /// The status in words, with names.
  std::string describe(const EstimateStatus& status) const;

  /// The residual part (one number a row of the system) of the augmented solution for measurements e in place of y, scaled by
  /// the weights: (1 − H) W e; zeros before the first sample. For estimates over many samples.
  void project(const double* e, double* residual) noexcept;

 private:
  struct PlannedOrder {
    PlannedOrder(std::shared_ptr<const EstimatorPlan> p, const Augmented& of, const Plan& order);
    const std::vector<double>& precision() const { return closing ? closing->precision : plan->precision; }
    const std::vector<char>& undetermined() const { return closing ? closing->undetermined : plan->undetermined; }
    std::shared_ptr<const EstimatorPlan> plan;
    const Augmented& augmented;
    const GapClosing* closing = nullptr;  // of the sample at hand, where gaps leave something open
    ZeroFillLU<double> lu;
    std::vector<double> moved, moved_right_side;  // the augmented system a hair beside the state
    std::unique_ptr<BlockSolve> block;            // options.derivatives
    ~PlannedOrder();
  };
  /// What options.close_gaps and options.replan said of a pattern of gaps.
  struct GapPlan {
    std::vector<char> missing;  // a row of the system
    std::unique_ptr<const GapClosing> closing;
    std::unique_ptr<PlannedOrder> order;
  };
  /// What is read of a sample, and what comes out.
  struct Sample {
    Sample(const System& system, const Augmented& augmented, std::size_t outputs);
    SystemWorkspace<double> work;
    std::vector<double> q, v, y, values, right_side;  // y: 0 in the gaps
    std::vector<char> missing;                        // a row of the system
    int gaps = 0;
    bool exact_row_missing = false;
    std::vector<double> solution;                 // of the augmented system
    std::vector<double> deviations, innovations;  // where they are asked for
    std::vector<char> follows_open_offset;        // an output
    bool state_entered = false;                   // deviations: the state's own are in them
  };
  /// Samples that are computed together.
  struct Prepared {
    Prepared(const System& system, const EstimatorPlan& plan, std::size_t outputs);
    LUInLanes lu;
    int count = 0;                                             // samples prepared
    std::vector<Sample> samples;                               // a lane each
    std::vector<EstimateStatus> status;                        // beside samples
    std::vector<char> done;                                    // beside samples: nothing is left to be computed
    std::vector<Batch> values, right_side, weight, precision;  // as Augmented::fill takes them
  };

  void read(Sample& sample, const double* q, const double* v, const double* y) noexcept;
  EstimateStatus answer(Sample& sample, double* out) noexcept;
  EstimateStatus attempt(PlannedOrder& replayed) noexcept;
  bool serves(PlannedOrder& order, EstimateStatus& status) noexcept;
  PlannedOrder* serve_gaps(EstimateStatus& status) noexcept;
  void judge(const PlannedOrder& replayed, EstimateStatus& status) const noexcept;
  bool remedy_outliers(EstimateStatus& status) noexcept;
  void begin_sample(Sample& sample) noexcept;
  void count_all_fully() noexcept;
  int weigh_by_residuals(double& change) noexcept;
  double huber_sum() const noexcept;
  bool predict_shares(int most) noexcept;
  void reweigh(EstimateStatus& status) noexcept;
  EstimateStatus attempt_with_gaps() noexcept;
  void snoop(EstimateStatus left) noexcept;
  void weigh(const EstimatorPlan& plan) noexcept;
  void fill(PlannedOrder& replayed) noexcept;
  bool accurate(const EstimateStatus& status) const noexcept;
  int vanishing_pivot(PlannedOrder& replayed) noexcept;
  bool settles(ZeroFillLU<double>& lu, EstimateStatus& status) noexcept;
  bool singular(PlannedOrder& replayed) noexcept;
  GapPlan* gap_plan() noexcept;
  GapPlan* close_gaps() noexcept;
  GapPlan& new_gap_plan();
  PlannedOrder* replan() noexcept;
  void finish(const PlannedOrder& replayed, double* out) noexcept;
  bool wants_spread() const noexcept;
  ZeroFillLU<double>& last_lu() noexcept;
  void find_spread() noexcept;
  void find_spread_together() noexcept;
  template <class Systems>
  void find_standard_deviations(Systems systems, Sample* samples) noexcept;
  template <class Systems>
  void find_innovations(Systems systems, Sample* samples) noexcept;
  void take_blocks(PlannedOrder* order) const;
  bool prepare_derivatives() noexcept;
  bool derivatives_at_sample(const DerivativeArrays& into, DerivativeMode mode) noexcept;
  void add_state_deviations() noexcept;
  void judge_lanes(int count) noexcept;
  void fill_lanes(const std::array<const Sample*, Batch::lanes>& lanes) noexcept;

  std::shared_ptr<const System> system_;
  EstimatorOptions options_;
  Outputs outputs_;
  RoundingProbe probe_;
  std::unique_ptr<PlannedOrder> main_, missing_data_, open_gaps_;
  std::vector<GapPlan> gap_plans_;
  PlannedOrder* last_ = nullptr;
  int refinements_ = 1;    // of deviations, under an order for gaps
  bool factored_ = false;  // the last sample is what last_->lu holds
  bool answered_ = false;  // the last sample was ok
  Sample own_;
  Sample* sample_;  // the one at hand
  std::unique_ptr<Prepared> prepared_;
  std::vector<double> sigma_, inverse_sigma_, weight_;  // a row of the system
  std::vector<double> share_;                           // likewise
  std::vector<double> sure_share_, predicted_share_;    // Huber's, of the residuals that are and those that are foreseen
  bool reweighted_ = false;                             // some share is not 1
  std::vector<double> quantile_;                        // of the chi-square, by redundancy
  std::vector<int> suspects_;
  TakenOff offsets_;
  std::vector<double> toward_offsets_;   // as many as offsets
  std::vector<double> unit_, response_;  // of the augmented system
  std::vector<double> gradient_, zero_;
  std::vector<char> determined_;
  SolverCounts counts_;
  long replanned_ = 0;
  std::unique_ptr<EstimatorDerivatives, DeleteEstimatorDerivatives> derivatives_;  // options.derivatives
};

// The estimate at one state by rank decisions there: for states at which the rows determine less than elsewhere, where no order
// that was fixed beforehand serves.

/// What estimate_at_state found.
struct StateEstimate {
  /// Equations: exact rows that depend on each other at this state and do not agree. Where there are any, nothing else is
  /// filled.
  std::vector<int> contradicting;
  std::vector<double> unknowns;  // x; along what nothing sees, the shortest in scaled units
  std::vector<char> determined;  // of each output
  /// Of each output: undetermined since it depends on what nothing tells of the offsets.
  std::vector<char> follows_open_offset;
  std::vector<double> outputs;      // NaN where undetermined
  std::vector<double> deviations;   // posterior standard deviations, NaN likewise
  std::vector<double> innovations;  // of each row of the system, as Estimator::innovations
  /// What the sample says of the n offsets taken off, as SensorOffsets adds it up: Eᵀ W (1 − H) W E, n × n, and
  /// Eᵀ W (1 − H) W y, with the offsets still on y.
  std::vector<double> information, moment;
  double chi_square = 0;      // Σ ((y_i − Y_i x) / σ_i)² over the noisy rows
  int redundancy = 0;         // its expectation
  int missing = 0;            // rows without a measurement
  int open = 0;               // directions of the unknowns that nothing sees
  double backward_error = 0;  // of the exact rows: ‖b − Y x‖∞ / (‖Y‖∞ ‖x‖∞ + ‖b‖∞)
};

/// The most likely x given exact rows, noisy rows and priors, by an orthogonal null-space method on the free unknowns (ddq, fx;
/// Lawson & Hanson 1974, ch. 20). Entries of the matrix that are rounding (RoundingProbe) are taken for zero, and ranks are
/// judged after scaling rows and columns, as in `determinacy`. sigma: of each row of the system, 0: exact. q, v, y as
/// Estimator::estimate reads them (y NaN: missing). Exact rows that depend on each other contradict where they differ by more
/// than 1e-8 of their terms. Offsets are taken off the readings, and their uncertainty enters deviations and innovations as it
/// does in Estimator. learnt: whether this sample was one of those that the offsets come from; where it was not, their errors
/// are not its own noise, and what nothing tells of them leaves its readings unjudged (chi_square, redundancy and innovations
/// 0). Offline: allocates; dense factorisations of (sensor rows) × (free unknowns). Input must be finite but for missing y.
StateEstimate estimate_at_state(const System& system, const Outputs& outputs, const std::vector<double>& sigma, const double* q,
                                const double* v, const double* y, const TakenOff& offsets = {}, bool learnt = true);

}  // namespace sparsedyn
