// Parameters of bodies and joints from logs with torques: what the torques can tell of them, what logs say, and the fit.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/dynamics/regressor.hpp"

namespace sparsedyn {

// Which combinations of parameters the torques can tell apart (Gautier & Khalil 1990): the columns of the regressor are
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

/// Of the parameters `which` (others do not enter), found at random states by rank; those that come first in π are independent
/// first, so that a link's numbers gather what the links beyond it cannot show. `freedom`: of that torque alone; -1: of all.
/// Offline: O(count³).
BaseParameters base_parameters(const Model& model, const std::vector<int>& which, int freedom = -1);

/// The same without any motion sampled, by rules on the tree: what of each body's numbers its joints can show at all, the rest
/// given to the parent (Gautier & Khalil 1990, here for joints of any kind, fixed and floating bases, rotors and offsets).
/// `which` selects columns before they are told apart: inertial parameters alone, say. Throws std::invalid_argument where a
/// joint follows another. Offline: O(count³).
BaseParameters base_parameters_by_rules(const Model& model, const std::vector<int>& which);

// What logs say of the parameters through the torques, compressed: memory does not grow with the log, and parts of a log, or
// logs of several machines, add up.
//
// Row i of Y holds only what freedom i carries, so each freedom keeps the triangular factor of its own rows, over its own base
// parameters β: with all samples of freedom i below each other, Qᵀ [Y_i | τ_i] = [R_i z_i; 0 ρ_i], and
// Σ (Y_i β − τ_i)² = |R_i β − z_i|² + ρ_i² for every β (Golub 1965; sequentially: Gentleman 1974). Noise by joint weights the
// factors, not the rows, so it may be chosen afterwards.

class TorqueInformation {
 public:
  /// Of all parameters. The model must outlive it.
  explicit TorqueInformation(const Model& model);

  /// One sample: q (nq), v, a, tau (nv), fx as in rnea, or null. A row of `tau` that is NaN is left out. No heap.
  void add(const double* q, const double* v, const double* a, const double* tau, const Force<double>* fx) noexcept;
  /// The samples of another too. Throws std::invalid_argument where it is of another robot.
  void merge(const TorqueInformation& other);

  /// What one freedom's rows amount to.
  struct Factor {
    BaseParameters base;           // of this torque alone
    long rows = 0;                 // samples whose torque of this freedom was a number
    std::vector<double> triangle;  // [R z; 0 ρ], order() + 1 rows and columns, by columns, upper; diagonal ≥ 0
    /// How many base parameters this torque has.
    int order() const { return static_cast<int>(base.independent.size()); }
    /// [R z; 0 ρ] at row r and column c ≥ r, both from 0 to order(). N m (N) over the unit of column c's parameter.
    double entry(int r, int c) const { return triangle[static_cast<std::size_t>(c * (order() + 1) + r)]; }
  };
  /// By freedom. Rows given so far are all in it.
  const std::vector<Factor>& factors();
  /// The robot whose torques these are.
  const Model& model() const { return *model_; }

  /// Σ (Y_i π − τ_i)² over the rows of freedom i.
  double squares(int freedom, const std::vector<double>& pi);

  /// All of it as numbers, for other processes and machines.
  std::vector<double> state();
  /// Takes the numbers of state() in place of its own. Throws std::invalid_argument for another model's.
  void restore(const std::vector<double>& state);

 private:
  void add_wrenches(const Force<double>* fx) noexcept;
  void absorb(std::size_t freedom) noexcept;

  const Model* model_;
  std::vector<Factor> factors_;
  struct Block {  // rows that wait, by columns
    std::vector<double> rows;
    int count = 0;
  };
  std::vector<Block> blocks_;
  RegressorWorkspace<double> work_;
  std::vector<double> Y_, tree_wrenches_, from_wrenches_, along_;  // tree_wrenches_: of Model::tree
};

// Parameters from what logs say of the torques, of bodies that exist: the convex problem
//
//   minimise  Σ_i |R_i β(π) − z_i|² / σ_i² + |(π − π₀) / s|²
//   subject to  pseudo-inertia of each body ≻ 0  (Wensing, Kim & Slotine 2018),  armature, damping, friction ≥ 0
//
// by Newton's method on a logarithmic barrier (Boyd & Vandenberghe 2004, ch. 11). The noise σ_i of each joint is estimated with
// the parameters, by reweighting.

struct IdentifyOptions {
  /// Which parameters are fitted, one each; empty: all. The others keep their number in `start`.
  std::vector<char> fitted;
  /// s: deviation of a body's parameters from the start's, relative to its own size: each at least 10 % of the largest of its
  /// kind in the body. Of joint parameters: 1 in SI units.
  double prior = 0.3;
  /// π₀; empty: parameters(model).
  std::vector<double> start;
  /// Deviation of each torque (N m or N); empty: estimated.
  std::vector<double> sigma;
};

/// What identify() finds. Parameters are numbered as by parameter_names(), in SI units.
struct Identification {
  std::vector<double> value, sd;   // by parameter; sd 0 where it was not fitted
  std::vector<char> determined;    // seen by the data: sd below half the prior's
  BaseParameters base;             // of the fitted parameters
  std::vector<double> base_value;  // by base parameter
  std::vector<double> base_sd;     // from the data alone; NaN where they do not determine it
  std::vector<double> sigma;       // by freedom
  int rank = 0;                    // of the fitted parameters, in the data
  double condition = 0;            // of the weighted base regressor with columns of unit length; inf where rank is lost
  long rows = 0;                   // scalar torques
  double chi_square = 0;           // weighted squares over rows − rank
};

/// Throws std::invalid_argument where sizes are wrong or there are fewer rows than base parameters. Offline.
Identification identify(TorqueInformation& information, const IdentifyOptions& options = {});

/// Smallest eigenvalue of a body's pseudo-inertia [Σ h; hᵀ m] beside its trace, from its ten numbers: positive where the body
/// can exist.
double consistency(const double* ten);

}  // namespace sparsedyn
