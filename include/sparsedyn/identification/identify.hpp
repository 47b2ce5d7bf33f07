// Identification of the parameters of bodies and joints from logs with torques: base parameters, information in logs, and the
// fit.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sparsedyn/dynamics/regressor.hpp"

namespace sparsedyn {

// The combinations of parameters that torques determine (Gautier & Khalil 1990): the columns of the regressor are linearly
// dependent, as functions of the motion, and some are zero.

/// Y π = Y_base β with β_k = π_independent[k] + Σ_d share[d][k] π_dependent[d].
struct BaseParameters {
  std::vector<int> independent;            // parameters, as many as Y has independent columns
  std::vector<int> dependent;              // the others, those without any effect included
  std::vector<std::vector<double>> share;  // by dependent parameter: how it enters each base parameter

  /// β of a π.
  std::vector<double> values(const std::vector<double>& pi) const;
  /// `NAME + 0.5*NAME - …` of base parameter k.
  std::string expression(int k, const std::vector<std::string>& names) const;
};

/// The base parameters of `which` (other parameters are ignored), found at random states by rank. Parameters that come first in
/// π are preferred as independent, so that a link's parameters include those of the links behind it that have no effect of
/// their own. `freedom`: for that torque alone; -1: for all. Offline: O(count³).
BaseParameters base_parameters(const Model& model, const std::vector<int>& which, int freedom = -1);

/// The same without sampling motions, by rules on the tree: the part of a body's parameters that its joints cannot determine is
/// added to the parent (Gautier & Khalil 1990, here for joints of any kind, fixed and floating bases, rotors and offsets). For
/// mimic joints, only the leader's position is sampled. `which` selects columns first, for example the inertial parameters.
/// Offline: O(count³), for each sampled position of a leader.
BaseParameters base_parameters_by_rules(const Model& model, const std::vector<int>& which);

// The information of logs about the parameters, compressed: memory does not grow with the log, and the information of parts of
// a log, or of logs on several machines, can be added.
//
// Row i of Y holds only what freedom i carries, so each freedom keeps the triangular factor of its own rows, over its own base
// parameters β: with all samples of freedom i below each other, Qᵀ [Y_i | τ_i] = [R_i z_i; 0 ρ_i], and
// Σ (Y_i β − τ_i)² = |R_i β − z_i|² + ρ_i² for every β (Golub 1965; sequentially: Gentleman 1974). Noise by joint weights the
// factors, not the rows, so it may be chosen afterwards.

/// Which number of a FrictionShape; velocities are moved by their logarithms.
enum class FrictionNumber { smoothing, stribeck, stribeck_velocity };

/// One more column in a torque's rows, of friction f g(v): g itself, or a derivative of f g.
struct FrictionColumn {
  FrictionShape shape;                                 // of g
  std::optional<FrictionNumber> along = std::nullopt;  // none: g; else by ln smoothing, stribeck or ln stribeck_velocity
  double friction = 0;                                 // f, of a derivative
};

/// Rows weighted by their residuals in an earlier fit (Huber 1964): by √min(1, threshold σ / |residual|).
struct HuberWeights {
  std::vector<double> value;       // π of the earlier fit
  std::vector<double> sigma;       // by row of a sample: the deviation of a good one
  double threshold = 1.345;        // 95 % of the information of normal noise is kept
  std::vector<double> least = {};  // by row: no deviation is taken for smaller; empty: a millionth of the rows' rms
};

/// The rows of one pass over the logs.
struct RowPass {
  std::vector<FrictionShape> friction;             // by freedom; empty, or several joints': the model's
  std::vector<std::vector<FrictionColumn>> extra;  // by freedom; empty: none. Beyond π, numbered on from it
  std::optional<HuberWeights> huber;               // none: rows weigh alike
};

/// What is done with a row of a sample: which of names(), its regressor (a number a parameter; friction as RowPass has it), and
/// what was measured; NaN: nothing.
using RowVisitor = std::function<void(int row, const double* regressor, double measured)>;

/// The information of a sample's rows, one triangle for each: shared by torques and sensors.
class RowInformation {
 public:
  virtual ~RowInformation() = default;
  /// The samples of another too. Throws std::invalid_argument where it is of another robot, or its rows were made otherwise.
  void merge(const RowInformation& other);

  /// What one row of all samples amounts to.
  struct Factor {
    BaseParameters base;           // of this row alone; columns of RowPass::extra are independent
    int freedom = -1;              // whose torque it is; -1: another measurement
    double sigma = 0;              // its deviation where that is known; 0: to be estimated
    long rows = 0;                 // samples in which it was a number
    std::vector<double> triangle;  // [R z; 0 ρ], order() + 1 rows and columns, by columns, upper; diagonal ≥ 0
    // With Huber's weights w, u = residual / σ: Σ w, Σ min(u², threshold²), how many |u| are below it, and how many above 5.
    double weights = 0, squares = 0, inside = 0, outside = 0;
    /// How many base parameters this row has.
    int order() const { return static_cast<int>(base.independent.size()); }
    /// [R z; 0 ρ] at row r and column c ≥ r, both from 0 to order(). N m (N) over the unit of column c's parameter.
    double entry(int r, int c) const { return triangle[static_cast<std::size_t>(c * (order() + 1) + r)]; }
  };
  /// By row of a sample. Rows given so far are all in it.
  const std::vector<Factor>& factors();
  /// The robot whose parameters these are.
  const Model& model() const { return *model_; }
  /// What each row of a sample is called: a joint whose torque it is, or a column of the log.
  const std::vector<std::string>& names() const { return names_; }

  /// Σ (Y_i π − y_i)² over the samples of row i, weighted as they are.
  double squares(int row, const std::vector<double>& pi);

  /// All of it as numbers, for other processes and machines.
  std::vector<double> state();
  /// Takes the numbers of state() in place of its own. Throws std::invalid_argument for another model's.
  void restore(const std::vector<double>& state);

  /// Forgets all samples; those to come are made as `pass` says. Throws std::invalid_argument where sizes are wrong, and for
  /// columns of friction of a freedom that several joints share.
  void restart(const RowPass& pass);
  const RowPass& pass() const { return pass_; }  // that rows are made by
  /// Forgets the samples of one row.
  void leave_out(int row);

 protected:
  explicit RowInformation(const Model& model);  // without rows yet; the model must outlive it
  /// Row i of a sample, of which friction by RowPass is put in; `row`: index().count, may be changed. A NaN is left out. No
  /// heap.
  void put(std::size_t i, double* row, const double* v, double measured) noexcept;
  /// Friction by RowPass, in row i.
  void put_friction(std::size_t i, double* row, const double* v) const noexcept;
  /// One more row of each sample.
  void declare(const std::string& name, BaseParameters base, int freedom, double sigma);
  const Model* model_;    // whose parameters they are
  ParameterIndex index_;  // of them

 private:
  void size_blocks();
  void absorb(std::size_t row) noexcept;
  double weight(std::size_t row, const double* values, double measured) noexcept;

  std::vector<Factor> factors_;
  std::vector<std::string> names_;
  std::vector<int> joint_parameters_;  // by freedom: where its four numbers begin in π, or -1
  RowPass pass_;
  std::vector<std::vector<double>> reference_;  // by row: β of HuberWeights::value
  struct Block {                                // rows that wait, by columns
    std::vector<double> rows;
    int count = 0;
  };
  std::vector<Block> blocks_;
  std::vector<double> along_, values_;
};

/// The torques, one row a freedom.
class TorqueInformation : public RowInformation {
 public:
  /// Of all parameters. The model must outlive it.
  explicit TorqueInformation(const Model& model);

  /// One sample: q (nq), v, a, tau (nv), fx as in rnea, or null. A row of `tau` that is NaN is left out. No heap.
  void add(const double* q, const double* v, const double* a, const double* tau, const Force<double>* fx) noexcept;
  /// The rows that add() makes of a sample; nothing is added.
  void visit(const double* q, const double* v, const double* a, const double* tau, const Force<double>* fx,
             const RowVisitor& visitor);

 private:
  template <class Visit>
  void make_rows(const double* q, const double* v, const double* a, const double* tau, const Force<double>* fx, Visit&& visit);
  void add_wrenches(const Force<double>* fx) noexcept;

  RegressorWorkspace<double> work_;
  std::vector<double> Y_, tree_wrenches_, from_wrenches_;  // tree_wrenches_: of Model::tree
};

// Parameters of physically possible bodies from the torques of logs: the convex problem
//
//   minimise  Σ_i |R_i β(π) − z_i|² / σ_i² + |(π − π₀) / s|²
//   subject to  pseudo-inertia of each body ≻ 0  (Wensing, Kim & Slotine 2018),  armature, damping, friction, stiffness ≥ 0
//
// by Newton's method on a logarithmic barrier (Boyd & Vandenberghe 2004, ch. 11). The noise σ_i of each joint is estimated with
// the parameters, by reweighting.

struct IdentifyOptions {
  /// Which parameters are fitted, one each; empty: all. The others keep their number in `start`.
  std::vector<char> fitted;
  /// s: deviation of a body's parameters from the start's, relative to its own size, about its centre of mass: of the mass m;
  /// first moments, of m times the body's radius of gyration (of a point its reach, to the farthest axis on it); inertias, of m
  /// times the square of that. Another frame of the link changes nothing. Of joint parameters: 1 in SI units.
  double prior = 0.3;
  /// π₀; empty: parameters(model).
  std::vector<double> start;
  /// Deviation of each row of a sample (N m or N); empty: that of the sensors, estimated where they state none.
  std::vector<double> sigma;
};

/// The result of identify(). Parameters are numbered as by parameter_names(), in SI units.
struct Identification {
  std::vector<double> value, sd;   // by parameter; sd 0 where it was not fitted
  std::vector<char> determined;    // by the data: sd below half the prior's
  BaseParameters base;             // of the fitted parameters
  std::vector<double> base_value;  // by base parameter
  std::vector<double> base_sd;     // from the data alone; NaN where they do not determine it
  std::vector<double> sigma;       // by row of a sample; with Huber's weights, of the good ones
  int rank = 0;                    // of the fitted parameters, in the data
  double condition = 0;            // of the weighted base regressor with columns of unit length; inf where rank is lost
  long rows = 0;                   // scalar measurements
  double chi_square = 0;           // weighted squares over rows − rank
  // By row: √ of the squares that the fit leaves over rows σ², σ stated or what least squares of that row alone leaves (no
  // prior, no bounds); and the rows where chi-square (or F) rejects the fit at 1e-6 and the ratio's square is above 1.2: there
  // the prior overrules the data, or no physically possible body explains them.
  std::vector<double> beside_least_squares;
  std::vector<int> rejected;
  // Of identify_by_passes: of these the rows that a wider prior explains better, the others no prior does; and the least prior
  // of 1, 2, 5, 10 … that overrules none (0: this one; infinite: wider ones do not settle).
  std::vector<int> overruled;
  double sufficient_prior = 0;
  // Of identify_by_passes: parameters that the data have moved by more than five of the prior's deviations, the farthest first,
  // and by how many. The prior pulls each by that number times sd / prior of the deviations `sd`, which do not tell of it.
  // prior_not_overrun: the least of 1, 2, 5, 10 … from sufficient_prior on with which no body's is so far off (0: this one;
  // infinite: wider ones do not settle). A joint's prior is 1 in SI units, whatever the bodies' is.
  std::vector<int> overrun;
  std::vector<double> overrun_deviations, overrun_pull;
  double prior_not_overrun = 0;
  // Of identify_by_passes: how friction depends on speed, by freedom, empty where none of it was fitted. What was fitted has a
  // deviation, and is determined as parameters are.
  std::vector<FrictionShape> friction, friction_sd;
  std::vector<std::array<char, 3>> friction_determined;  // by FrictionNumber
  std::vector<long> outliers;                            // by row: samples beyond five deviations, where Huber weighted them
  int passes = 1;                                        // over the logs
  bool settled = true;  // the last pass changed nothing by more than PassOptions::settled_share
};

/// Throws std::invalid_argument where sizes are wrong or a row has fewer samples than base parameters (none at all: it is not
/// measured). Offline.
Identification identify(RowInformation& information, const IdentifyOptions& options = {});

/// Options of fits that take more than one pass over the logs.
struct PassOptions {
  IdentifyOptions fit;          // of each pass
  bool huber = false;           // outliers weigh less
  std::vector<char> smoothing;  // by freedom: its friction's smoothing velocity is fitted; empty: none
  std::vector<char> stribeck;   // the same of Stribeck's share and velocity
  int most_passes = 30;         // over the logs
  double settled_share = 0.02;  // of a deviation: no step is larger where it is settled
};

/// identify() with Huber's weights, and with the numbers that friction's shape depends on: Gauss-Newton, each pass linearised
/// where the last one ended, the first at the best of twelve smoothing and ten Stribeck velocities by the torque's own rows.
/// `information`: filled, as by one pass, and afterwards filled by a pass without weights at the velocities found; `read` adds
/// all samples to it again. The velocities' prior: a factor of ten from the model's; the share's: 1. Where no row is the
/// freedom's torque by itself, they stay the model's.
Identification identify_by_passes(RowInformation& information, const PassOptions& options, const std::function<void()>& read);

/// Smallest eigenvalue of a body's pseudo-inertia [Σ h; hᵀ m] beside its trace, from its ten numbers: positive where the body
/// can exist.
double consistency(const double* ten);

}  // namespace sparsedyn
