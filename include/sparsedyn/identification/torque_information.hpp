// What logs say of the parameters through the torques, compressed: memory does not grow with the log, and parts of a log, or
// logs of several machines, add up.
//
// Row i of Y holds only what freedom i carries, so each freedom keeps the triangular factor of its own rows, over its own base
// parameters β: with all samples of freedom i below each other, Qᵀ [Y_i | τ_i] = [R_i z_i; 0 ρ_i], and
// Σ (Y_i β − τ_i)² = |R_i β − z_i|² + ρ_i² for every β (Golub 1965; sequentially: Gentleman 1974). Noise by joint weights the
// factors, not the rows, so it may be chosen afterwards.
#pragma once

#include <vector>

#include "sparsedyn/identification/base_parameters.hpp"

namespace sparsedyn {

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
    BaseParameters base;  // of this torque alone
    long rows = 0;
    std::vector<double> triangle;  // [R z; 0 ρ], order() + 1 rows and columns, by columns, upper; diagonal ≥ 0
    int order() const { return static_cast<int>(base.independent.size()); }
    double entry(int r, int c) const { return triangle[static_cast<std::size_t>(c * (order() + 1) + r)]; }
  };
  /// By freedom. Rows given so far are all in it.
  const std::vector<Factor>& factors();
  const Model& model() const { return *model_; }

  /// Σ (Y_i π − τ_i)² over the rows of freedom i.
  double squares(int freedom, const std::vector<double>& pi);

  /// All of it as numbers, and back: for other processes and machines. Throws std::invalid_argument for another model's.
  std::vector<double> state();
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
  std::vector<double> Y_, from_wrenches_, along_;
};

}  // namespace sparsedyn
