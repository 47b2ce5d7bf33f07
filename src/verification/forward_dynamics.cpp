// Accelerations from torques.
#include <Eigen/Cholesky>

#include "checks.hpp"
#include "entry_names.hpp"
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
    Eigen::VectorXd rest(n);
    bias_forces(model_, work_, s.q.data(), s.v.data(), s.fx.data(), rest.data());
    rest = Eigen::Map<const Eigen::VectorXd>(s.tau.data(), n) - rest;
    const Eigen::LDLT<Matrix> factors(M);
    const Eigen::VectorXd dense = factors.solve(rest);
    std::vector<double> a(s.tau.size()), tau(s.tau.size());
    const bool answered = aba(model_, work_, s.q.data(), s.v.data(), s.tau.data(), s.fx.data(), a.data()).ok();
    solved_.add_solved(s, a, answered, {dense.data(), dense.data() + n});
    rnea(model_, work_, s.q.data(), s.v.data(), static_cast<const double*>(a.data()), s.fx.data(), tau.data());
    round_trip_.add_solved(s, tau, answered, s.tau);

    const Matrix identity = Matrix::Identity(n, n), exact = factors.solve(identity);
    const std::vector<double> entries(exact.data(), exact.data() + exact.size());
    std::vector<double> inverse(entries.size());
    const bool by_factors = minverse(model_, work_, s.q.data(), inverse.data()).ok();
    inverse_.add_solved(s, inverse, by_factors, entries);
    const bool directly = direct_minverse(model_, direct_, s.q.data(), inverse.data()).ok();
    direct_inverse_.add_solved(s, inverse, directly, entries);
  }

  void report(Verification& out) const override {
    const EntryNames names(model_);
    out.agreements.push_back(solved_.result(names.accelerations()));
    out.agreements.push_back(round_trip_.result(names.torques()));
    for (const Comparison* c : {&inverse_, &direct_inverse_}) out.agreements.push_back(c->result(names.pairs("Minv.")));
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
