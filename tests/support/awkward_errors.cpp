#include "support/awkward_errors.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "sparsedyn/dynamics/derivatives.hpp"
#include "sparsedyn/dynamics/detail/direct_minverse.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/dynamics/momentum.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/dynamics/second_derivatives.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/runtime/make_solver.hpp"
#include "sparsedyn/runtime/solver.hpp"
#include "support/motion_errors.hpp"
#include "support/rounding_sizes.hpp"
#include "support/systems.hpp"
#include "support/world_dynamics.hpp"

namespace sparsedyn::test {
namespace {

using namespace rounding;

/// One robot and state, and what was found.
class Comparison {
 public:
  Comparison(const AwkwardRobot& robot, const AwkwardState& state)
      : robot_(robot),
        state_(state),
        model_(robot.model),
        nv_(model_.nv),
        world_(robot),
        work_(model_),
        loads_(model_.bodies.size()) {
    link_wrenches_to_bodies(model_, state.wrenches.data(), loads_.data());
  }
  std::vector<AwkwardError> found;
  bool singular = false;

  void inverse_dynamics() {
    world_.pose(quads(state_.q));
    Numbers x = zeros(nv_), sizes;
    const std::vector<Quad> still(x.begin(), x.end());
    world_.move(still, still);
    std::vector<Quad> tau = world_.torques({}, true, &sizes);
    gravity_torques(model_, work_, q(), x.data());
    compare("gravity_torques", x, tau, sizes);

    world_.move(quads(state_.v), still);
    bias_ = world_.torques(state_.wrenches, true, &bias_sizes_);
    bias_forces(model_, work_, q(), v(), loads_.data(), x.data());
    compare("bias_forces", x, bias_, bias_sizes_);

    world_.move(quads(state_.v), quads(state_.a));
    tau = world_.torques(state_.wrenches, true, &torque_sizes_);
    rnea(model_, work_, q(), v(), a(), loads_.data(), x.data());
    compare("rnea", x, tau, torque_sizes_);
  }

  /// For the motion that inverse_dynamics has set.
  void motion() { motion_errors(robot_, state_, world_, found); }

  void forward_dynamics() {
    Numbers& sizes = inertia_sizes_;
    const QuadMatrix M = world_.mass_matrix(&sizes);
    std::vector<double> x(M.e.size());
    crba(model_, work_, q(), x.data());
    compare("crba", x, M.e, sizes);

    M_inverse_ = std::make_unique<QuadMatrix>(inverse(M));
    const QuadMatrix& W = *M_inverse_;
    std::vector<Quad> rest = quads(state_.tau);
    for (int i = 0; i < nv_; ++i) rest[i] -= bias_[i];
    accelerations_ = product(W, rest);
    // |M⁻¹| (S |a| + |τ| + size of the bias), S the sizes of M's entries
    acceleration_sizes_ = zeros(nv_);
    Numbers change = zeros(nv_);
    for (int i = 0; i < nv_; ++i) {
      change[i] = std::fabs(state_.tau[i]) + bias_sizes_[i];
      for (int k = 0; k < nv_; ++k) change[i] += sizes[i * nv_ + k] * std::fabs(static_cast<double>(accelerations_[k]));
    }
    acceleration_sizes_ = absolute_product(W, change);
    Numbers inverse_sizes = sizes_of_inverse(W, sizes);
    // between freedoms that do not act on one another an elimination leaves rounding of what it took them from
    const Numbers plain = inverse_sizes;
    for (int i = 0; i < nv_; ++i)
      for (int k = 0; k < nv_; ++k) {
        double& s = inverse_sizes[i * nv_ + k];
        s = std::max(s, std::sqrt(plain[i * nv_ + i]) * std::sqrt(plain[k * nv_ + k]));
      }

    std::vector<double> acc = zeros(nv_);
    if (regular(aba(model_, work_, q(), v(), state_.tau.data(), loads_.data(), acc.data())))
      compare("aba", acc, accelerations_, acceleration_sizes_);
    // the factors of M know an entry of M beside its diagonal only, and lose in every entry what they lose in the largest
    Numbers of_diagonal(sizes.size());
    for (int i = 0; i < nv_; ++i)
      for (int k = 0; k < nv_; ++k) of_diagonal[i * nv_ + k] = std::sqrt(sizes[i * nv_ + i]) * std::sqrt(sizes[k * nv_ + k]);
    Numbers factored = sizes_of_inverse(W, of_diagonal);
    factored.assign(factored.size(), *std::max_element(factored.begin(), factored.end()));
    if (regular(minverse(model_, work_, q(), x.data()))) compare("minverse", x, W.e, factored);
    DirectMinverseWorkspace<double> direct(model_);
    if (regular(direct_minverse(model_, direct, q(), x.data()))) compare("direct_minverse", x, W.e, inverse_sizes);
  }

  void derivatives() {
    const std::size_t n = static_cast<std::size_t>(nv_ * nv_);
    const QuadMatrix by_q = world_.torques_by_q(state_), by_v = world_.torques_by_v(state_);
    Numbers tau = zeros(nv_), dq(n), dv(n), M(n);
    MomentWorkspace<double> ws(model_);
    rnea_derivatives(model_, ws, q(), v(), a(), loads_.data(),
                     RneaDerivatives<double>{tau.data(), dq.data(), dv.data(), M.data()});
    compare("rnea_derivatives: dtau/dq", dq, by_q.e, sizes_of_derivative(by_q.e, torque_sizes_, false));
    compare("rnea_derivatives: dtau/dv", dv, by_v.e, sizes_of_derivative(by_v.e, torque_sizes_, true));

    // −M⁻¹ ∂ID at the accelerations of forward dynamics (which, being of double precision here, count in the sizes)
    AwkwardState held = state_;
    for (int i = 0; i < nv_; ++i) held.a[i] = static_cast<double>(accelerations_[i]);
    world_.pose(quads(held.q));
    world_.move(quads(held.v), quads(held.a));
    Numbers torques;
    world_.torques(held.wrenches, true, &torques);
    for (int i = 0; i < nv_; ++i)
      for (int k = 0; k < nv_; ++k) torques[i] += inertia_sizes_[i * nv_ + k] * acceleration_sizes_[k];
    const QuadMatrix& W = *M_inverse_;
    const QuadMatrix id[2] = {world_.torques_by_q(held), world_.torques_by_v(held)};
    std::vector<Quad> exact[2];
    for (int d = 0; d < 2; ++d)
      for (int i = 0; i < nv_; ++i)
        for (int k = 0; k < nv_; ++k) {
          Quad sum = 0;
          for (int j = 0; j < nv_; ++j) sum -= W(i, j) * id[d](j, k);
          exact[d].push_back(sum);
        }
    const Numbers id_sizes[2] = {sizes_of_derivative(id[0].e, torques, false), sizes_of_derivative(id[1].e, torques, true)};
    AbaDerivativeWorkspace<double> fd(model_);
    Numbers acc = zeros(nv_);
    for (AbaDerivativeMethod method : {AbaDerivativeMethod::inertia, AbaDerivativeMethod::articulated}) {
      const bool by_inverse = method == AbaDerivativeMethod::articulated;
      const std::string name = by_inverse ? "aba_derivatives, articulated" : "aba_derivatives";
      if (!regular(aba_derivatives(model_, fd, q(), v(), state_.tau.data(), loads_.data(),
                                   AbaDerivatives<double>{acc.data(), dq.data(), dv.data(), M.data()}, method)))
        continue;
      compare(name + ": da/dq", dq, exact[0], sizes_of_solution(W, inertia_sizes_, id_sizes[0], exact[0], by_inverse));
      compare(name + ": da/dv", dv, exact[1], sizes_of_solution(W, inertia_sizes_, id_sizes[1], exact[1], by_inverse));
    }
  }

  /// Beside the same templates in 113 bits.
  void second_derivatives() {
    const std::size_t n = static_cast<std::size_t>(nv_ * nv_ * nv_);
    SecondWorkspace<double> ws(model_);
    SecondDerivatives<double> out(model_);
    rnea_second_derivatives(model_, ws, q(), v(), a(), loads_.data(), out);
    Numbers x[4] = {Numbers(n), Numbers(n), Numbers(n), Numbers(n)};
    out.dense({x[0].data(), x[1].data(), x[2].data(), x[3].data()});

    SecondWorkspace<Quad> wide(model_);
    SecondDerivatives<Quad> exact(model_);
    std::vector<Force<Quad>> loads;
    for (const Force<double>& load : loads_) loads.push_back(cast<Quad>(load));
    const std::vector<Quad> Q = quads(state_.q), V = quads(state_.v), A = quads(state_.a);
    rnea_second_derivatives(model_, wide, Q.data(), V.data(), A.data(), static_cast<const Force<Quad>*>(loads.data()), exact);
    std::vector<Quad> r[4] = {std::vector<Quad>(n), std::vector<Quad>(n), std::vector<Quad>(n), std::vector<Quad>(n)};
    exact.dense({r[0].data(), r[1].data(), r[2].data(), r[3].data()});
    const char* names[4] = {"qq", "qv", "vv", "Mq"};
    for (int t = 0; t < 4; ++t) compare(std::string("rnea_second_derivatives: ") + names[t], x[t], r[t], {});
  }

  /// τ from q̈, or q̈ from τ, by Solver. (Without wrenches: in which links they may stand depends on the set.)
  void solver(bool inverse, const Formulation& formulation) {
    Numbers x = zeros(nv_), sizes;
    if (!solve(inverse, formulation, x)) return;
    world_.pose(quads(state_.q));
    const std::vector<Quad> still(static_cast<std::size_t>(nv_));
    world_.move(quads(state_.v), inverse ? quads(state_.a) : still);
    std::vector<Quad> exact = world_.torques({}, true, &sizes);
    if (!inverse) {
      std::vector<Quad> rest = quads(state_.tau);
      for (int i = 0; i < nv_; ++i) rest[i] -= exact[i];
      exact = product(*M_inverse_, rest);
      for (int i = 0; i < nv_; ++i) {
        sizes[i] += std::fabs(state_.tau[i]);
        for (int k = 0; k < nv_; ++k) sizes[i] += inertia_sizes_[i * nv_ + k] * std::fabs(static_cast<double>(exact[k]));
      }
      sizes = absolute_product(*M_inverse_, sizes);
    }
    const std::string name = formulation_name(formulation);
    compare((inverse ? "solve, inverse: " : "solve, forward: ") + name, x, exact, sizes);
  }

 private:
  /// False where the formulation cannot hold the robot, or the system is singular.
  bool solve(bool inverse, const Formulation& formulation, Numbers& x) {
    try {
      const SensorSet set = inverse ? inverse_dynamics_set() : forward_dynamics_set();
      const auto system = std::make_shared<const System>(model_, set, formulation);
      const auto plan = recursive_plan(*system);
      if (!plan) return false;
      Solver solver(system, std::make_shared<const Plan>(*plan), SolverOptions{{inverse ? "tau" : "ddq"}});
      const std::string prefix = inverse ? "ddq." : "tau.";
      const std::vector<std::string> names = inverse ? velocity_names(model_) : force_names(model_);
      Numbers y(system->inputs().size(), 0.0);
      for (std::size_t i = 0; i < y.size(); ++i)
        for (const std::string& column : system->inputs()[i].columns)
          for (int k = 0; k < nv_; ++k)
            if (column == prefix + names[k]) y[i] = inverse ? state_.a[k] : state_.tau[k];
      if (solver.solve(q(), v(), y.data(), x.data()).ok()) return true;
    } catch (const FormulationMisfit&) {
      return false;
    } catch (const std::runtime_error&) {  // singular at every state
    }
    singular = true;
    return false;
  }

  void take(const std::string& algorithm, const Collector& c, bool sized = true) {
    found.push_back(c.error_of(algorithm, sized));
  }
  void compare(const std::string& algorithm, const Numbers& x, const std::vector<Quad>& r, const Numbers& sizes) {
    Collector c;
    for (std::size_t i = 0; i < r.size(); ++i) c.add(x[i], r[i], sizes.empty() ? 1.0 : sizes[i]);
    take(algorithm, c, !sizes.empty());
  }
  /// Of ∂τ/∂q, row by row (a turn changes a torque by at most the sizes of its terms, a shift by what the row shows), or ∂τ/∂v.
  Numbers sizes_of_derivative(const std::vector<Quad>& r, const Numbers& torque_sizes, bool by_v) const {
    double fastest = 0;
    for (std::size_t l = 0; l < robot_.links.size(); ++l) fastest = std::max(fastest, world_.sizes(static_cast<int>(l)).w);
    Numbers sizes(r.size());
    for (int i = 0; i < nv_; ++i) {
      double largest = 0;
      for (int k = 0; k < nv_; ++k) largest = std::max(largest, std::fabs(static_cast<double>(r[i * nv_ + k])));
      for (int k = 0; k < nv_; ++k)
        sizes[i * nv_ + k] = std::max(largest, by_v ? fastest * inertia_sizes_[i * nv_ + k] : torque_sizes[i]);
    }
    return sizes;
  }
  bool regular(const DynamicsStatus& status) {
    if (!status.ok()) singular = true;
    return status.ok();
  }

  const double* q() const { return state_.q.data(); }
  const double* v() const { return state_.v.data(); }
  const double* a() const { return state_.a.data(); }

  const AwkwardRobot& robot_;
  const AwkwardState& state_;
  const Model& model_;
  const int nv_;
  WorldDynamics world_;
  Workspace<double> work_;
  std::vector<Force<double>> loads_;
  std::vector<Quad> bias_, accelerations_;
  Numbers bias_sizes_, torque_sizes_, acceleration_sizes_, inertia_sizes_;
  std::unique_ptr<QuadMatrix> M_inverse_;
};

}  // namespace

std::vector<AwkwardError> awkward_errors(const AwkwardRobot& robot, const AwkwardState& state, const AwkwardScope& scope,
                                         bool* singular) {
  Comparison comparison(robot, state);
  comparison.inverse_dynamics();
  comparison.motion();
  comparison.forward_dynamics();
  if (scope.solver) {
    for (const Formulation& formulation : all_formulations())
      for (bool inverse : {true, false}) comparison.solver(inverse, formulation);
  }
  if (scope.second_derivatives) comparison.second_derivatives();
  if (scope.derivatives) comparison.derivatives();
  if (singular) *singular = comparison.singular;
  return comparison.found;
}

}  // namespace sparsedyn::test
