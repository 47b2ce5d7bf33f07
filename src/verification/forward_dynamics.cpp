// Accelerations from torques.
#include <Eigen/Cholesky>
#include <algorithm>
#include <limits>

#include "checks.hpp"
#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/dynamics/detail/direct_minverse.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"
#include "sparsedyn/dynamics/rnea.hpp"

namespace sparsedyn::verification {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

class ForwardDynamics final : public Check {
 public:
  explicit ForwardDynamics(const Model& model) : model_(model), work_(model), direct_(model) {}

  void at(const State& s) override {
    const int n = model_.nv;
    Matrix M(n, n);
    crba(model_, work_, s.q.data(), M.data());
    Eigen::VectorXd rest(n), a(n);
    bias_forces(model_, work_, s.q.data(), s.v.data(), s.fx.data(), rest.data());
    rest = Eigen::Map<const Eigen::VectorXd>(s.tau.data(), n) - rest;
    const Eigen::LDLT<Matrix> factors(M);

    if (aba(model_, work_, s.q.data(), s.v.data(), s.tau.data(), s.fx.data(), a.data()).ok()) {
      const Eigen::VectorXd dense = factors.solve(rest);
      solved_.add(s, a.data(), dense.data(), static_cast<std::size_t>(n));
      std::vector<double> tau(s.tau.size());
      rnea(model_, work_, s.q.data(), s.v.data(), static_cast<const double*>(a.data()), s.fx.data(), tau.data());
      round_trip_.add(s, tau, s.tau);
    } else {
      solved_.refuse(), round_trip_.refuse();
    }
    Matrix inverse(n, n);
    const Matrix dense = factors.solve(Matrix::Identity(n, n));
    const auto entries = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
    if (minverse(model_, work_, s.q.data(), inverse.data()).ok())
      inverse_.add(s, inverse.data(), dense.data(), entries);
    else
      inverse_.refuse();
    if (direct_minverse(model_, direct_, s.q.data(), inverse.data()).ok())
      direct_inverse_.add(s, inverse.data(), dense.data(), entries);
    else
      direct_inverse_.refuse();
  }

  void report(Verification& out) const override {
    const std::vector<std::string> forces = force_names(model_), rates = velocity_names(model_);
    out.agreements.push_back(solved_.result([&](int i) { return "ddq." + rates[static_cast<std::size_t>(i)]; }));
    out.agreements.push_back(round_trip_.result([&](int i) { return "tau." + forces[static_cast<std::size_t>(i)]; }));
    for (const Comparison* c : {&inverse_, &direct_inverse_})
      out.agreements.push_back(c->result([&](int i) {
        return "Minv." + rates[static_cast<std::size_t>(i / model_.nv)] + "." + rates[static_cast<std::size_t>(i % model_.nv)];
      }));
  }

 private:
  const Model& model_;
  Workspace<double> work_;
  DirectMinverseWorkspace<double> direct_;
  Comparison solved_{"accelerations", "articulated bodies (aba)", "M by Cholesky"};
  Comparison round_trip_{"joint torques", "rnea of aba's accelerations", "the torques given"};
  Comparison inverse_{"Minv", "sparse factors (minverse)", "M by Cholesky"};
  Comparison direct_inverse_{"Minv", "articulated bodies", "M by Cholesky"};
};

}  // namespace

std::unique_ptr<Check> forward_dynamics_check(const Model& model) { return std::make_unique<ForwardDynamics>(model); }

}  // namespace sparsedyn::verification
