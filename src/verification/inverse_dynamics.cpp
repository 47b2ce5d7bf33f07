// Torques from accelerations.
#include "checks.hpp"
#include "complex_step.hpp"
#include "entry_names.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"
#include "sparsedyn/dynamics/momentum.hpp"
#include "sparsedyn/dynamics/regressor.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "term_sizes.hpp"

namespace sparsedyn::verification {
namespace {

/// The robot in a world that is turned and moved, with its gravity: nothing else changes.
Model elsewhere(Model model) {
  const Mat3<double> R{{{2 / 3.0, -1 / 3.0, 2 / 3.0}, {2 / 3.0, 2 / 3.0, -1 / 3.0}, {-1 / 3.0, 2 / 3.0, 2 / 3.0}}};
  const Pose<double> moved{R, {{3, -2, 1}}};
  model.gravity = R * model.gravity;
  for (Body& body : model.bodies)
    if (body.parent < 0) body.placement = moved * body.placement;
  return model;
}

class InverseDynamics final : public Check {
 public:
  explicit InverseDynamics(const Model& model)
      : model_(model), work_(model), complex_(model), regressor_(model), elsewhere_(elsewhere(model)), there_(elsewhere_) {
    if (model.coordinate_map) turned_.skip("joints that follow others: the tree within is not turned");
  }

  void at(const State& s) override {
    const auto n = static_cast<std::size_t>(model_.nv);
    std::vector<double> tau(n), x(n), M(n * n);
    rnea(model_, work_, s.q.data(), s.v.data(), s.a.data(), s.fx.data(), tau.data());

    bias_forces(model_, work_, s.q.data(), s.v.data(), s.fx.data(), x.data());
    crba(model_, work_, s.q.data(), M.data());
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < n; ++k) x[i] += M[i * n + k] * s.a[k];
    composed_.add(s, tau, x);

    if (!model_.coordinate_map) {
      rnea(elsewhere_, there_, s.q.data(), s.v.data(), s.a.data(), s.fx.data(), x.data());
      turned_.add(s, tau, x);
    }
    linear_in_parameters(s);
    gravity(s, TermSizes(model_, s, M));
  }

  void report(Verification& out) const override {
    const EntryNames names(model_);
    for (const Comparison* c : {&composed_, &regressed_, &turned_, &gravity_})
      out.agreements.push_back(c->result(names.torques()));
  }

 private:
  /// τ = Y π.
  void linear_in_parameters(const State& s) {
    const auto n = static_cast<std::size_t>(model_.nv);
    const std::vector<double> pi = parameters(model_);
    std::vector<double> Y(n * pi.size()), x(n), tau(n);
    rnea(model_, work_, s.q.data(), s.v.data(), s.a.data(), static_cast<const Force<double>*>(nullptr), tau.data());
    regressor(model_, regressor_, s.q.data(), s.v.data(), s.a.data(), Y.data());
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < pi.size(); ++k) x[i] += Y[i * pi.size() + k] * pi[k];
    regressed_.add(s, tau, x);
  }

  /// g = ∂U/∂q along the tangent.
  void gravity(const State& s, const TermSizes& sizes) {
    const auto n = static_cast<std::size_t>(model_.nv);
    std::vector<double> g(n), slope(n), terms;
    gravity_torques(model_, work_, s.q.data(), g.data());
    for (int i = 0; i < model_.nv; ++i) {
      const std::vector<Complex> q = stepped_posture(model_, s.q, unit(model_.nv, i));
      forward_kinematics(model_, complex_, q.data(), static_cast<const Complex*>(nullptr),
                         static_cast<const Complex*>(nullptr));
      slope[static_cast<std::size_t>(i)] = potential_energy(model_, complex_).imag() / complex_step;
      terms.push_back(sizes.gravity(static_cast<std::size_t>(i)));
    }
    gravity_.add(s, g, slope, terms);
  }

  const Model& model_;
  Workspace<double> work_;
  Workspace<Complex> complex_;
  RegressorWorkspace<double> regressor_;
  Model elsewhere_;
  Workspace<double> there_;
  Comparison composed_{"joint torques", "recursion (rnea)", "M ddq + bias forces (crba)"};
  Comparison regressed_{"joint torques", "recursion (rnea)", "regressor times parameters"};
  Comparison turned_{"joint torques", "recursion (rnea)", "the same in a turned and moved world"};
  Comparison gravity_{"gravity torques", "recursion", "slope of the potential energy, complex step"};
};

}  // namespace

std::unique_ptr<Check> inverse_dynamics_check(const Model& model) { return std::make_unique<InverseDynamics>(model); }

}  // namespace sparsedyn::verification
