// The fit of parameters as a problem of ConsistentFit: what varies, what the data say of it, what bounds it.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "consistent_fit.hpp"
#include "sparsedyn/identification/identify.hpp"

namespace sparsedyn {

/// What is fitted, and how the data's base parameters depend on it.
struct FitProblem {
  FitProblem(RowInformation& information, const IdentifyOptions& options);
  /// use(v, k, column) for what is linearised beyond π, from number `first` on.
  template <class Use>
  void on_shapes(int first, Use&& use) const {
    auto k = static_cast<std::size_t>(first);
    const std::vector<std::vector<FrictionColumn>>& extra = information.pass().extra;
    for (std::size_t v = 0; v < extra.size(); ++v)
      for (const FrictionColumn& column : extra[v]) {
        if (k < start.size()) use(v, k, column);
        ++k;
      }
  }
  void prior_of_shapes(int first);
  void bound_shapes(int first, const std::vector<int>& variable);

  /// A and b of `fit`: the rows of all freedoms, weighted by these deviations, as one triangle.
  void weigh(const std::vector<double>& sigma);
  /// π of the variables x.
  std::vector<double> values(const Eigen::VectorXd& x) const;

  RowInformation& information;
  std::vector<double> start, prior;  // by parameter; prior 0: not fitted
  std::vector<int> variables;        // parameters that are fitted
  ConsistentFit fit;                 // A and b by weigh()
  std::vector<Eigen::MatrixXd> A;    // by freedom: R_i ∂β/∂x
  std::vector<Eigen::VectorXd> b;    // z_i − R_i β(start)
};

}  // namespace sparsedyn
