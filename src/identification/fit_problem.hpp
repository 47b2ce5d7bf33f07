// The fit of parameters as a problem of ConsistentFit: what varies, what the data say of it, what bounds it.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "body_prior.hpp"
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

  /// Deviations by parameter of the fit to what weigh() has put together; 0 where it is not fitted.
  std::vector<double> deviations() const;

  RowInformation& information;
  std::vector<double> start, prior;      // by parameter; prior: its deviation, 0 where it is not fitted
  std::vector<int> variables;            // parameters that are fitted
  ConsistentFit fit;                     // A and b by weigh()
  std::vector<Eigen::MatrixXd> columns;  // by freedom: R_i ∂β/∂π of the variables
  std::vector<Eigen::MatrixXd> A;        // by freedom: R_i ∂β/∂x
  std::vector<Eigen::VectorXd> b;        // z_i − R_i β(start)

 private:
  /// Ten variables in a row that are a body's numbers about its centre of mass.
  struct Recentred {
    Eigen::Index first;
    Eigen::Matrix<double, 10, 10> to_frame;
  };
  void declare_body(std::size_t joint, const std::vector<int>& variable, const BodyPrior& prior, double size);
  /// ∂π/∂x of all variables, of rows times ∂/∂π.
  Eigen::MatrixXd by_variables(Eigen::MatrixXd rows) const;

  std::vector<Recentred> recentred_;
};

}  // namespace sparsedyn
