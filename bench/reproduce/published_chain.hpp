// The chains and the matrices that Nori et al. (2017) count on, as their experiments state them
// (github.com/iron76/bnt_time_varying, experiments/computationalComplexity).
#pragma once

#include <vector>

#include "sparsedyn/sparse/pattern.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn::reproduce {

/// n revolute joints about z; link i is a thin tube of length l_i = taper^(i − 1) and mass l_i³ along x, the next axis stands
/// at its end, turned by `skew` about x (Featherstone's autoTree). Gravity along −y.
Model published_chain(int n, double skew, double taper);

/// Inverse or forward dynamics: q̈ or τ, and every external wrench, given.
SensorSet dynamics_set(bool inverse);

/// Their "two feet" (Fig. 2): the chain's ends stand on very slippery ground. Of the wrench through joint 1 and of the external
/// wrench on the last link all but n_z is measured, q̈ of joints 3 to n − 2 is known. n ≥ 4.
SensorSet slippery_feet_set(int n);

/// A square matrix with numbers, rows and columns in the order of the experiments: by link a, f_B, f, τ, then by link fx, q̈.
struct NumericMatrix {
  int n = 0;
  std::vector<double> values;  // n × n, by rows
  double& at(int r, int c) { return values[static_cast<std::size_t>(r) * n + c]; }
  double at(int r, int c) const { return values[static_cast<std::size_t>(r) * n + c]; }
  int nonzeros() const;
};

/// The system at a random state with net wrenches as unknowns of their own: f_B,i = I_i a_i + …, f_i = f_B,i + … (26 rows a
/// link). Its numbers are the same with every compiler, flag and machine (ordering/reproducible_samples.hpp): what is counted
/// asks which are equal, and which become zero.
NumericMatrix with_net_wrenches(const System& system, unsigned seed);

Pattern pattern_of(const NumericMatrix& A);
/// The nonzeros, in the pattern's order.
std::vector<double> entries_of(const NumericMatrix& A);
NumericMatrix permuted(const NumericMatrix& A, const Order& order);

/// Rows by partial pivoting, columns as they stand: what LU does without a column order.
Order row_pivoting(NumericMatrix A);

}  // namespace sparsedyn::reproduce
