// Hard constraints as rows of a system: beside the dense equations on joint space, and the forces beside inverse dynamics.
#include "system/closures.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <memory>

#include "constraints/rows.hpp"
#include "dense.hpp"
#include "sparsedyn/constraints/closed_loops.hpp"
#include "sparsedyn/constraints/constrained_dynamics.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/system/detail/system_derivatives.hpp"
#include "support/coupled.hpp"
#include "support/systems.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

Constraint hard(const std::string& name, ConstraintType type, const std::vector<std::string>& links) {
  Constraint c;
  c.name = name, c.type = type, c.links = links, c.hard = true, c.omega = 2;
  return c;
}

/// The end of a chain on its own beginning, a frame in its middle held in the world, one joint after another's cube.
ConstraintSet loops_of(const Model& chain) {
  const std::string far = chain.links.back().name, near = chain.links[2].name;
  Constraint connect = hard("loop", ConstraintType::connect, {far, near});
  connect.frames[0].d = {{0.1, 0.2, 0}}, connect.frames[1].d = {{0, -0.1, 0.3}};
  Constraint weld = hard("grip", ConstraintType::weld, {chain.links[chain.links.size() / 2].name, "world"});
  weld.frames[0] = {rotation_from_rpy({{0.3, -0.2, 0.5}}), {{0.1, 0, 0.2}}};
  weld.frames[1] = {rotation_from_rpy({{-0.4, 0.1, 0.9}}), {{0.4, 0.3, 0.1}}};
  Constraint gear = hard("gear", ConstraintType::joint, {});
  gear.joints = {chain.joints.back().name}, gear.of = chain.joints[chain.joints.size() - 2].name;
  gear.polynomial = {0.2, 0.5, 0.3}, gear.linear = {{chain.joints[chain.joints.size() - 3].name, 0.8}};
  ConstraintSet set;
  set.constraints = {connect, weld, gear};
  return set;
}

/// The end of a chain held in the world; a joint that follows one, and by this another one too.
ConstraintSet loops_of(const CoupledRobot& r) {
  Constraint connect = hard("loop", ConstraintType::connect, {r.tree.links.back().name, "world"});
  connect.frames[0].d = {{0.1, 0.2, 0}}, connect.frames[1].d = {{0, -0.1, 0.3}};
  Constraint gear = hard("gear", ConstraintType::joint, {});
  const Joint& follower =
      *std::find_if(r.model.joints.begin(), r.model.joints.end(), [](const Joint& j) { return j.follows(); });
  const int led_by = entry_of(r.model, r.tree.joints[r.tree.find_joint(follower.name)].v).index;
  const Joint& other = *std::find_if(r.model.joints.begin() + 1, r.model.joints.end(),
                                     [&](const Joint& j) { return !j.follows() && j.v != led_by; });
  gear.joints = {follower.name}, gear.of = other.name, gear.polynomial = {0.2, 0.37, 0.3};
  ConstraintSet set;
  set.constraints = {connect, gear};
  return set;
}

/// a and the forces of the rows, in the order of the set: M a − Jᵀ f = τ − bias, J a = a*.
Eigen::VectorXd by_joint_space(const Model& model, const ConstraintSet& set, const State& s) {
  ConstraintRows rows(model, resolved(model, set, inverse_weights(model)));
  Workspace<double> ws(model);
  rows.at(ws, s.q.data(), s.v.data());
  const int n = model.nv, m = rows.rows();
  // in long double: where a weld is nearly half a turn off, forces grow twice as fast as accelerations
  Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic> K = Eigen::MatrixXd::Zero(n + m, n + m).cast<long double>();
  Eigen::Matrix<long double, Eigen::Dynamic, 1> b(n + m);
  std::vector<double> M(static_cast<std::size_t>(n) * n), bias(n);
  crba<double>(model, ws, s.q.data(), M.data());
  bias_forces<double>(model, ws, s.q.data(), s.v.data(), nullptr, bias.data());
  for (int i = 0; i < n; ++i) {
    b[i] = s.tau[i] - bias[i];
    for (int k = 0; k < n; ++k) K(i, k) = M[i * n + k];
  }
  for (int r = 0; r < m; ++r) {
    b[n + r] = rows.aim()[r];
    for (int k = 0; k < n; ++k) K(n + r, k) = rows.row(r)[k], K(k, n + r) = -rows.row(r)[k];
  }
  return K.fullPivLu().solve(b).cast<double>();
}

/// About an axis, by Rodrigues's formula, its entries rounded once.
Mat3<double> turned_about(const std::array<long double, 3>& axis, long double angle) {
  const long double c = std::cos(angle), s = std::sin(angle);
  Mat3<double> R;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) {
      const long double odd = i == k ? 0 : (k == (i + 1) % 3 ? -s : s) * axis[static_cast<std::size_t>(3 - i - k)];
      R(i, k) = static_cast<double>((i == k ? c : 0) + odd +
                                    (1 - c) * axis[static_cast<std::size_t>(i)] * axis[static_cast<std::size_t>(k)]);
    }
  return R;
}

/// Planar: a crank, a coupler on it, a rocker.
Model four_bar(bool floating = false) {
  JointSpec hinge;
  hinge.kind = JointKind::revolute, hinge.axis = {{0, 1, 0}};
  const Inertia<double> rod = inertia_about_com(1, {{0.2, 0, 0}}, {0.01, 0, 0, 0.02, 0, 0.02});
  const auto at = [](double x) { return Pose<double>{identity3<double>(), {{x, 0, 0}}}; };
  return ModelBuilder("four-bar")
      .root("ground", inertia_about_com(2, {{0.1, 0.02, 0}}, {0.1, 0, 0, 0.1, 0, 0.1}), floating)
      .link("crank", rod, "ground", "a", hinge, at(0))
      .link("coupler", rod, "crank", "b", hinge, at(0.3))
      .link("rocker", rod, "ground", "c", hinge, at(0.5))
      .build();
}

/// Of four_bar.
Constraint rod_of(ConstraintType type) {
  Constraint rod = hard("rod", type, {"coupler", "rocker"});
  rod.frames[0].d = {{0.6, 0, 0}}, rod.frames[1].d = {{0.4, 0, 0}};
  return rod;
}

/// At rest and moving, upright, after quarter turns, and turned in any way; the loop closed.
std::vector<State> closed_states_of(const Model& model, const ConstraintSet& set) {
  std::mt19937 rng(2);
  LoopProjection loops(model, set);
  std::vector<State> states;
  for (int k = 0; k < 12; ++k) {
    State s = random_state(model, rng);
    s.q[7] = -0.9 + 0.02 * k, s.q[8] = 0.7, s.q[9] = -1.1;
    if (k < 8) {  // about x, then about z
      const double half = std::acos(-1.0) / 4 * (k % 4);
      std::fill_n(s.q.begin(), 6, 0.0);
      s.q[k < 4 ? 3 : 5] = std::sin(half), s.q[6] = std::cos(half);
    }
    if (k % 2) std::fill(s.v.begin(), s.v.end(), 0.0);
    const ProjectionStatus status = loops.project(s.q.data(), s.v.data());
    REQUIRE(status.beside <= 1e-12);
    states.push_back(s);
  }
  return states;
}

}  // namespace

TEST_CASE("closures: forward dynamics with loops is that on joint space, in every formulation that holds links") {
  int solved = 0;
  for (const bool floating : {false, true})
    for (unsigned seed = 0; seed < 2; ++seed) {
      TreeOptions options;
      options.floating = floating, options.branching = 0, options.lumped = false;
      options.kinds = {JointKind::revolute};  // so that no row of the loops follows from others
      const Model model = random_tree(16, seed, options);
      SensorSet set = forward_dynamics_set();
      set.constraints = loops_of(model);
      std::mt19937 rng(seed);
      const State s = random_state(model, rng);
      const Eigen::VectorXd exact = by_joint_space(model, set.constraints, s);
      const double size = std::max(1.0, exact.head(model.nv).cwiseAbs().maxCoeff());
      for (const Formulation& formulation : all_formulations()) {
        INFO(formulation_name(formulation) << " floating " << floating << " seed " << seed);
        if (formulation.joint_space || formulation.canonical) {
          CHECK_THROWS_AS(System(model, set, formulation), FormulationMisfit);
          continue;
        }
        const System system(model, set, formulation);
        const Eigen::VectorXd x = solved_for(system, s, s.tau);
        for (int k = 0; k < model.nv; ++k) CHECK(std::abs(x[system.ddq_column(k)] - exact[k]) <= 1e-9 * size);
        const double force = std::max(1.0, exact.tail(exact.size() - model.nv).cwiseAbs().maxCoeff());
        const std::array<const char*, 4> names{"lambda.loop.x", "lambda.loop.y", "lambda.loop.z", "lambda.gear"};
        for (int k = 0; k < 4; ++k)
          CHECK(std::abs(x[column_of(system, names[k])] - exact[model.nv + (k < 3 ? k : 9)]) <= 1e-9 * force);
        ++solved;
      }
    }
  CHECK(solved >= 8);
}

TEST_CASE("closures: quaternions have their digits at all turns, near none and near a half") {
  std::mt19937 rng(3);
  std::normal_distribution<long double> normal;
  const long double half = std::acos(-1.0L);
  for (const long double left : {3.0L, 1.0L, 0.1L, 1e-3L, 1e-5L, 1e-7L})
    for (const long double angle : {half - left, left})
      for (int k = 0; k < 50; ++k) {
        std::array<long double, 3> axis{normal(rng), normal(rng), normal(rng)};
        const long double length = std::sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
        for (long double& x : axis) x /= length;
        double s = 0;
        const Vec3<double> e = detail::turn_of<double>(turned_about(axis, angle), s);
        CAPTURE(static_cast<double>(angle), k);
        CHECK(std::abs(static_cast<double>(s - std::cos(angle / 2))) <= 4e-16);
        for (int i = 0; i < 3; ++i)
          CHECK(std::abs(static_cast<double>(e[i] - std::sin(angle / 2) * axis[static_cast<std::size_t>(i)])) <= 1e-15);
      }
}

TEST_CASE("closures: a weld of links that are nearly half a turn apart has the digits of joint space") {
  TreeOptions options;
  options.branching = 0, options.lumped = false, options.kinds = {JointKind::revolute};
  const Model model = random_tree(12, 5, options);
  std::mt19937 rng(5);
  const State s = random_state(model, rng);
  Workspace<double> ws(model);
  forward_kinematics<double>(model, ws, s.q.data(), nullptr, nullptr);
  const Pose<double> hand = link_pose(model, ws, model.find_link(model.links.back().name));
  for (const double left : {0.1, 1e-3, 1e-5}) {
    SensorSet set = forward_dynamics_set();
    Constraint weld = hard("grip", ConstraintType::weld, {model.links.back().name, "world"});
    weld.frames[1] = {hand.R * transpose(turned_about({0.6L, 0, -0.8L}, std::acos(-1.0L) - left)), hand.d};
    set.constraints.constraints = {weld};
    const Eigen::VectorXd exact = by_joint_space(model, set.constraints, s);
    const System system(model, set);
    const Eigen::VectorXd x = solved_for(system, s, s.tau);
    const double size = exact.head(model.nv).cwiseAbs().maxCoeff();
    CAPTURE(left, size);
    for (int k = 0; k < model.nv; ++k) CHECK(std::abs(x[system.ddq_column(k)] - exact[k]) <= 1e-12 / left * size);
  }
}

TEST_CASE("closures: with joints that follow others, forward dynamics with loops is that of constraints") {
  int solved = 0;
  for (unsigned seed = 0; seed < 4; ++seed) {
    TreeOptions options;
    options.floating = true, options.branching = 0, options.lumped = false, options.kinds = {JointKind::revolute};
    const CoupledRobot r = random_coupled_robot(random_tree(14, seed, options), seed);
    SensorSet set = forward_dynamics_set();
    set.constraints = loops_of(r);
    std::mt19937 rng(seed);
    const State s = random_state(r.model, rng);
    ConstrainedDynamics dynamics(r.model, set.constraints);
    std::vector<double> a(s.v), lambda(dynamics.force_columns().size());
    REQUIRE(dynamics.forward(s.q.data(), s.v.data(), s.tau.data(), nullptr, a.data(), lambda.data(), nullptr).ok());
    double size = 1, force = 1;
    for (double x : a) size = std::max(size, std::abs(x));
    for (double x : lambda) force = std::max(force, std::abs(x));
    for (const Formulation& formulation : all_formulations()) {
      INFO(formulation_name(formulation) << " seed " << seed);
      std::unique_ptr<const System> system;
      try {
        system = std::make_unique<const System>(r.model, set, formulation);
      } catch (const FormulationMisfit&) {
        continue;
      }
      const Eigen::VectorXd x = solved_for(*system, s, s.tau);
      for (int k = 0; k < r.model.nv; ++k) CHECK(std::abs(x[system->ddq_column(k)] - a[k]) <= 1e-8 * size);
      CHECK(std::abs(x[column_of(*system, "lambda.loop.x")] - lambda[0]) <= 1e-7 * force);
      CHECK(std::abs(x[column_of(*system, "lambda.gear")] - lambda[3]) <= 1e-7 * force);
      ++solved;
    }
  }
  CHECK(solved >= 4);
}

TEST_CASE("closures: the forces balance: inverse dynamics of what was found asks for the torques and Jᵀλ") {
  const Model model = random_tree(12, 5, {false, true, 0});
  SensorSet set = forward_dynamics_set();
  set.constraints = loops_of(model);
  std::mt19937 rng(2);
  const State s = random_state(model, rng);
  const System system(model, set);
  const Eigen::VectorXd x = solved_for(system, s, s.tau);
  Workspace<double> ws(model);
  forward_kinematics<double>(model, ws, s.q.data(), nullptr, nullptr);
  std::vector<Force<double>> fx(model.bodies.size(), {zero3<double>(), zero3<double>()});
  const auto push = [&](const Constraint& c, int k, const Vec3<double>& n, const Vec3<double>& f) {
    if (c.links[k] == "world") return;
    const Link& link = model.links[model.find_link(c.links[k])];
    const Pose<double> body = ws.world_pose[link.body];
    const Vec3<double> arm = link.pose.R * c.frames[k].d + link.pose.d, force = transposed_times(body.R, f);
    fx[link.body] = fx[link.body] + Force<double>{transposed_times(body.R, n) + cross(arm, force), force};
  };
  const auto vector = [&](const std::string& name, const char* parts) {
    Vec3<double> v;
    for (int k = 0; k < 3; ++k) v[k] = x[column_of(system, name + "." + parts + std::string(1, "xyz"[k]))];
    return v;
  };
  const ConstraintSet& all = set.constraints;
  const Vec3<double> none = zero3<double>(), f = vector("lambda.loop", ""), n = vector("lambda.grip", "n"),
                     g = vector("lambda.grip", "f");
  push(all.constraints[0], 0, none, f), push(all.constraints[0], 1, none, -f);
  push(all.constraints[1], 0, n, g);
  std::vector<double> a(model.nv), torque(model.nv);
  for (int k = 0; k < model.nv; ++k) a[k] = x[system.ddq_column(k)];
  rnea<double>(model, ws, s.q.data(), s.v.data(), a.data(), fx.data(), torque.data());
  const double gear = x[column_of(system, "lambda.gear")];
  const int last = model.nv - 1;
  torque[last] -= gear, torque[last - 1] += (0.5 + 0.6 * s.q[model.joints[model.joints.size() - 2].q]) * gear;
  torque[last - 2] += 0.8 * gear;
  double size = 1;
  for (int k = 0; k < model.nv; ++k) size = std::max(size, std::abs(x[system.f_column(0) + k % 6]));
  for (int k = 0; k < model.nv; ++k) CHECK(std::abs(torque[k] - s.tau[k]) <= 1e-9 * size);
}

TEST_CASE("closures: a row that always follows from others says that its force is zero") {
  const Model model = four_bar();
  Constraint rod = hard("rod", ConstraintType::connect, {"coupler", "rocker"});
  rod.frames[0].d = {{0.6, 0, 0}}, rod.frames[1].d = {{0.4, 0, 0}};
  SensorSet set = forward_dynamics_set();
  set.constraints.constraints = {rod};
  const System system(model, set);
  REQUIRE(system.closures().size() == 1);
  CHECK(system.closures()[0].redundant == std::vector<char>{0, 1, 0});
  CHECK(std::count(system.equation_names().begin(), system.equation_names().end(), "constraint.rod.y") == 1);
  std::mt19937 rng(4);
  const State s = random_state(model, rng);
  const Eigen::VectorXd x = solved_for(system, s, s.tau);
  CHECK(x[column_of(system, "lambda.rod.y")] == 0);
  ConstrainedDynamics dynamics(model, set.constraints);
  std::vector<double> a(3), lambda(3);
  REQUIRE(dynamics.forward(s.q.data(), s.v.data(), s.tau.data(), nullptr, a.data(), lambda.data(), nullptr).ok());
  for (int k = 0; k < 3; ++k) CHECK(x[system.ddq_column(k)] == Approx(a[k]).epsilon(1e-9));
  CHECK(x[column_of(system, "lambda.rod.x")] == Approx(lambda[0]).epsilon(1e-7));
}

TEST_CASE("closures: a plane linkage on a body that turns is answered however it is turned, with no force across its plane") {
  const Model model = four_bar(true);
  SensorSet set = forward_dynamics_set();
  set.constraints.constraints = {rod_of(ConstraintType::connect)};
  const char* const name = GENERATE("newton-euler", "shifted", "intermediate-frames", "net-forces");
  INFO(name);
  const System system(model, set, formulation_named(name));
  const Closure& closure = system.closures().at(0);
  CHECK(closure.redundant == std::vector<char>{0, 1, 0});
  CHECK(closure.axes == 0);
  CHECK(hard_rows(model, set.constraints).redundant == std::vector<std::string>{"rod.y"});
  ConstrainedDynamics dynamics(model, set.constraints);
  for (const State& s : closed_states_of(model, set.constraints)) {
    const Eigen::VectorXd x = solved_for(system, s, s.tau);
    Eigen::VectorXd a(model.nv);
    Eigen::Vector3d lambda, found;
    const ConstraintStatus status =
        dynamics.forward(s.q.data(), s.v.data(), s.tau.data(), nullptr, a.data(), lambda.data(), nullptr);
    INFO(dynamics.describe(status));
    REQUIRE(status.ok());
    const double size = std::max(1.0, a.cwiseAbs().maxCoeff()), force = std::max(1.0, lambda.norm());
    for (int k = 0; k < model.nv; ++k) CHECK(std::abs(x[system.ddq_column(k)] - a[k]) <= 1e-9 * size);
    for (int k = 0; k < 3; ++k) found[k] = x[column_of(system, std::string("lambda.rod.") + "xyz"[k])];
    Workspace<double> ws(model);
    forward_kinematics<double>(model, ws, s.q.data(), s.v.data(), s.v.data());
    const Mat3<double>& R = ws.world_pose[0].R;
    const Eigen::Vector3d across(R(0, 1), R(1, 1), R(2, 1));
    CHECK(std::abs(across.dot(found)) <= 1e-12 * force);
    CHECK((found - lambda + across * across.dot(lambda)).norm() <= 1e-7 * force);
    CHECK(std::abs(x[column_of(system, "lambda.rod.ground.y")]) <= 1e-12 * force);
  }
}

TEST_CASE("closures: soft constraints leave a system as it is, links that move as one are refused, numbers count") {
  const Model model = four_bar();
  Constraint rod = hard("rod", ConstraintType::connect, {"coupler", "rocker"});
  SensorSet set = forward_dynamics_set(), soft = set, other;
  rod.hard = false;
  soft.constraints.constraints = {rod};
  CHECK(System(model, soft).fingerprint() == System(model, set).fingerprint());
  rod.hard = true, rod.links = {"coupler", "coupler"};
  set.constraints.constraints = {rod};
  CHECK_THROWS_AS(System(model, set), std::invalid_argument);
  rod.links = {"coupler", "rocker"};
  set.constraints.constraints = {rod};
  rod.frames[0].d = {{0.6, 0, 0}};
  other = set, other.constraints.constraints = {rod};
  CHECK(System(model, set).numbers_fingerprint() != System(model, other).numbers_fingerprint());
}

TEST_CASE("closures: how the equations move with the state is that of differences") {
  TreeOptions options;
  options.floating = true, options.branching = 0, options.lumped = false, options.kinds = {JointKind::revolute};
  const CoupledRobot coupled = random_coupled_robot(random_tree(9, 3, options), 3);
  const Model linkage = four_bar(true);
  const int which = GENERATE(0, 1, 2, 3);
  const Model& model = which == 0 ? coupled.tree : which == 1 ? coupled.model : linkage;
  SensorSet set = forward_dynamics_set();
  set.constraints = which == 0 ? loops_of(model) : which == 1 ? loops_of(coupled) : ConstraintSet();
  if (which >= 2) set.constraints.constraints = {rod_of(which == 2 ? ConstraintType::connect : ConstraintType::weld)};
  std::mt19937 rng(8);
  const State s = random_state(model, rng);
  for (const char* name : {"newton-euler", "shifted"}) {
    const System system(model, set, formulation_named(name));
    const std::vector<double> y = inputs_of(system, s.tau);
    Eigen::VectorXd x = solved_for(system, s, s.tau);
    SystemWorkspace<double> work(system);
    std::vector<double> values(system.pattern().entries()), right_side(system.equations().size());
    system.assemble(s.q.data(), s.v.data(), y.data(), values.data(), right_side.data(), work);
    const Eigen::VectorXd unshifted = x;
    system.unshift(x.data(), work);
    SystemDerivatives derivatives(system);
    derivatives.at(s.q.data(), s.v.data(), y.data(), x.data());
    for (const bool of_q : {true, false})
      for (int k = 0; k < model.nv; ++k) {
        const EquationChange& change = of_q ? derivatives.along_q(k) : derivatives.along_v(k);
        Eigen::VectorXd moved = Eigen::VectorXd::Zero(x.size());
        for (const EquationChange::Entry& e : change.matrix) moved[e.row] -= e.value * unshifted[e.column];
        for (const EquationChange::RightSide& e : change.right_side) moved[e.row] += e.value;
        constexpr double h = 1e-6;
        const auto residual = [&](double step) {
          State t = s;
          std::vector<double> delta(model.nv, 0.0);
          delta[k] = step;
          if (of_q)
            integrate(model, s.q.data(), delta.data(), t.q.data());
          else
            t.v[k] += step;
          const Dense d = dense(system, t, y);
          return Eigen::VectorXd(d.b - d.A * unshifted);
        };
        const Eigen::VectorXd differences = (residual(h) - residual(-h)) / (2 * h);
        CAPTURE(name, of_q, k, which);
        CHECK((moved - differences).cwiseAbs().maxCoeff() <= 1e-6 * std::max(1.0, unshifted.cwiseAbs().maxCoeff()));
      }
  }
}
