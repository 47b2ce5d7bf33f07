#include "support/awkward_errors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "sparsedyn/dynamics/aba_derivatives.hpp"
#include "sparsedyn/dynamics/detail/direct_minverse.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/dynamics/momentum.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/dynamics/rnea_second_derivatives.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/runtime/make_solver.hpp"
#include "sparsedyn/runtime/solver.hpp"
#include "support/systems.hpp"
#include "support/world_dynamics.hpp"

namespace sparsedyn::test {
namespace {

using Numbers = std::vector<double>;
const double unit_roundoff = 0.5 * std::numeric_limits<double>::epsilon();

double size(const Vec3<double>& a) { return std::hypot(a[0], a[1], a[2]); }

Numbers zeros(int n) { return Numbers(static_cast<std::size_t>(n), 0.0); }

/// |A| x for A and x of sizes.
Numbers absolute_product(const QuadMatrix& A, const Numbers& x) {
  Numbers y = zeros(A.rows);
  for (int i = 0; i < A.rows; ++i)
    for (int k = 0; k < A.columns; ++k) y[i] += std::fabs(static_cast<double>(A(i, k))) * x[k];
  return y;
}

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

  /// Poses, velocities, accelerations, energies and momenta, for the motion that inverse_dynamics has set.
  void motion() {
    forward_kinematics(model_, work_, q(), v(), a());
    const int links = static_cast<int>(model_.links.size());
    Collector pose, orientation, velocity, acceleration;
    for (int l = 0; l < links; ++l) {
      const WorldMotion& m = world_.motion(l);
      const MotionSizes& s = world_.sizes(l);
      const Pose<double> at = link_pose(model_, work_, l);
      const std::array<double, 4> u = quaternion_from_rotation(at.R);
      const Quad wide[4] = {u[0], u[1], u[2], u[3]};
      const Mat3<Quad> R = quad_rotation_from_quaternion(wide);
      for (int i = 0; i < 3; ++i) {
        pose.add(at.d[i], m.pose.d[i], s.distance);
        for (int k = 0; k < 3; ++k) {
          pose.add(at.R(i, k), m.pose.R(i, k), 1);
          orientation.add(static_cast<double>(R(i, k)), m.pose.R(i, k), 1);
        }
      }
      velocity.add(link_velocity(model_, work_, l), {own(m, m.w), own(m, m.v)}, s.w, s.v);
      const Vec3<Quad> a = m.a - cross(m.w, m.v) - cast<Quad>(robot_.gravity);
      acceleration.add(link_acceleration(model_, work_, l), {own(m, m.al), own(m, a)}, s.al,
                       s.a + s.w * s.v + size(robot_.gravity));
    }
    take("kinematics: pose", pose);
    take("kinematics: quaternion", orientation);
    take("kinematics: velocity", velocity);
    take("kinematics: acceleration", acceleration);
    totals();
  }

  void jacobian() {
    const int link = static_cast<int>(model_.links.size()) - 1;
    std::vector<double> J(static_cast<std::size_t>(6 * nv_));
    link_jacobian(model_, work_, link, Axes::link, J.data());
    Collector columns;
    const std::vector<Quad> still(static_cast<std::size_t>(nv_));
    for (int k = 0; k < nv_; ++k) {
      std::vector<Quad> one = still;
      one[k] = 1;
      world_.move(one, still);
      const WorldMotion& m = world_.motion(link);
      const MotionSizes& s = world_.sizes(link);
      const Vec3<Quad> w = own(m, m.w), u = own(m, m.v);
      for (int r = 0; r < 3; ++r) columns.add(J[r * nv_ + k], w[r], s.w), columns.add(J[(3 + r) * nv_ + k], u[r], s.v);
    }
    take("jacobian", columns);
  }

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
    Numbers inverse_sizes = sizes_between_inverses(sizes);
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
    Numbers factored = sizes_between_inverses(of_diagonal);
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
      compare(name + ": da/dq", dq, exact[0], solved_sizes(id_sizes[0], exact[0], by_inverse));
      compare(name + ": da/dv", dv, exact[1], solved_sizes(id_sizes[1], exact[1], by_inverse));
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

  struct Collector {
    double error = 0, largest = 0, of_rounding = 0, sizes = 0;
    void add(double x, const Quad& r, double size) {
      const double off = static_cast<double>(abs(Quad(x) - r)), far = std::numeric_limits<double>::infinity();
      error = std::isfinite(x) ? std::max(error, off) : far;
      largest = std::max(largest, static_cast<double>(abs(r)));
      sizes = std::max(sizes, size);
      const double ratio = off == 0 ? 0.0 : off / (unit_roundoff * size);
      of_rounding = std::isfinite(x) ? std::max(of_rounding, ratio) : far;
    }
    void add(const Motion<double>& x, const Motion<Quad>& r, double angular, double linear) {
      for (int k = 0; k < 3; ++k) add(x.w[k], r.w[k], angular), add(x.v[k], r.v[k], linear);
    }
    void add(const Force<double>& x, const Force<Quad>& r, double moment, double force) {
      for (int k = 0; k < 3; ++k) add(x.n[k], r.n[k], moment), add(x.f[k], r.f[k], force);
    }
  };

  void take(const std::string& algorithm, const Collector& c, bool sized = true) {
    const double none = std::numeric_limits<double>::quiet_NaN();
    // what is zero has no relative error
    const bool zero = c.error == 0 || (sized && c.largest < 1e-25 * c.sizes);
    const double condition = c.sizes == 0 ? 0.0 : c.sizes / c.largest;
    found.push_back({algorithm, zero ? 0.0 : c.error / c.largest, sized ? c.of_rounding : none, sized ? condition : none});
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
  /// |M⁻¹| S |M⁻¹|.
  Numbers sizes_between_inverses(const Numbers& sizes) const {
    const QuadMatrix& W = *M_inverse_;
    QuadMatrix S(nv_, nv_);
    for (std::size_t i = 0; i < sizes.size(); ++i) S.e[i] = sizes[i];
    Numbers result(sizes.size());
    for (int k = 0; k < nv_; ++k) {
      Numbers column = zeros(nv_);
      for (int i = 0; i < nv_; ++i) column[i] = std::fabs(static_cast<double>(W(i, k)));
      column = absolute_product(W, absolute_product(S, column));
      for (int i = 0; i < nv_; ++i) result[i * nv_ + k] = column[i];
    }
    return result;
  }
  /// |M⁻¹| (D + S |r|): derivatives of inverse dynamics of sizes D, solved for accelerations' r. By a product with M⁻¹, whose
  /// own rounding counts for all that it meets: |M⁻¹| (D + S |M⁻¹| D).
  Numbers solved_sizes(const Numbers& D, const std::vector<Quad>& r, bool by_inverse) const {
    Numbers sizes(r.size());
    for (int k = 0; k < nv_; ++k) {
      Numbers column = zeros(nv_), result = zeros(nv_);
      for (int i = 0; i < nv_; ++i) {
        column[i] = D[i * nv_ + k];
        result[i] = std::fabs(static_cast<double>(r[i * nv_ + k]));
      }
      if (by_inverse) result = absolute_product(*M_inverse_, column);
      for (int i = 0; i < nv_; ++i)
        for (int j = 0; j < nv_; ++j) column[i] += inertia_sizes_[i * nv_ + j] * result[j];
      column = absolute_product(*M_inverse_, column);
      for (int i = 0; i < nv_; ++i) sizes[i * nv_ + k] = column[i];
    }
    return sizes;
  }
  bool regular(const DynamicsStatus& status) {
    if (!status.ok()) singular = true;
    return status.ok();
  }
  static Vec3<Quad> own(const WorldMotion& m, const Vec3<Quad>& a) { return transposed_times(m.pose.R, a); }

  void totals() {
    const WorldTotals t = world_.totals();
    double kinetic = 0, potential = 0, mass = 0, reach = 0, linear = 0, pull = 0, angular = 0, turning = 0;
    struct Part {
      double reach, linear, pull;
    };
    std::vector<Part> parts;
    const double g = size(robot_.gravity);
    for (std::size_t i = 0; i < robot_.links.size(); ++i) {
      if (model_.links[i].body < 0) continue;
      const AwkwardLink& link = robot_.links[i];
      const MotionSizes& s = world_.sizes(static_cast<int>(i));
      const double c = size(link.com), r = s.distance + c, tensor = link.tensor.xx + link.tensor.yy + link.tensor.zz;
      const double speed = s.v + s.w * c, change = s.a + (s.al + s.w * s.w) * c + g;
      kinetic += 0.5 * (link.mass * speed * speed + tensor * s.w * s.w);
      potential += link.mass * g * r;
      mass += link.mass, reach += link.mass * r;
      parts.push_back({r, link.mass * speed, link.mass * change});
      angular += tensor * s.w, turning += tensor * (s.al + s.w * s.w);
    }
    if (mass == 0) return;
    reach /= mass;
    for (const Part& part : parts) {
      linear += part.linear, pull += part.pull;
      angular += (part.reach + reach) * part.linear, turning += (part.reach + reach) * part.pull;
    }
    const auto number = [&](const char* algorithm, double x, const Quad& r, double s) {
      Collector c;
      c.add(x, r, s);
      take(algorithm, c);
    };
    number("kinetic_energy", kinetic_energy(model_, work_), t.kinetic, kinetic);
    number("potential_energy", potential_energy(model_, work_), t.potential, potential);
    Collector com, momenta, rates;
    const Vec3<double> c = centre_of_mass(model_, work_);
    for (int k = 0; k < 3; ++k) com.add(c[k], t.com[k], reach);
    momenta.add(momentum(model_, work_), t.momentum, angular, linear);
    rates.add(momentum_rate(model_, work_), t.rate, turning, pull);
    take("centre_of_mass", com);
    take("momentum", momenta);
    take("momentum_rate", rates);
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
  comparison.jacobian();
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
