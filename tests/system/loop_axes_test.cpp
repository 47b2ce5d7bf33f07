// Linkages in a plane, on a line and about a point, on any body of a robot: accelerations and forces beside dense equations on
// joint space, of whose forces the least is taken.
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "constraints/rows.hpp"
#include "dense.hpp"
#include "sparsedyn/constraints/closed_loops.hpp"
#include "sparsedyn/constraints/constrained_dynamics.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/runtime/make_solver.hpp"
#include "support/systems.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

const double quarter = std::acos(-1.0) / 2;

Inertia<double> bar(double mass) { return inertia_about_com(mass, {{0.15, 0.04, -0.02}}, {0.02, 0.001, 0, 0.03, 0.002, 0.04}); }

/// The same shape of 10⁻⁷ kg.
const Inertia<double> light_bar = inertia_about_com(1e-7, {{0.15, 0.04, -0.02}}, {4e-9, 2e-10, 0, 6e-9, 4e-10, 8e-9});

JointSpec moves(JointKind kind, const Vec3<double>& axis) {
  JointSpec spec;
  spec.kind = kind, spec.axis = axis;
  return spec;
}

Pose<double> placed(const Vec3<double>& rpy, const Vec3<double>& d) { return {rotation_from_rpy(rpy), d}; }

/// A trunk, and a limb that turns, shifts and turns, whose last link is "hand"; its joints turn about other axes than those of
/// any link.
ModelBuilder trunk_with_limb(bool floating) {
  return ModelBuilder("robot")
      .root("trunk", bar(3), floating)
      .link("upper", bar(1), "trunk", "shoulder", moves(JointKind::revolute, {{0, 0, 1}}), placed({{0, 0, 0}}, {{0.1, 0.2, 0}}))
      .link("slide", bar(0.8), "upper", "extend", moves(JointKind::prismatic, {{1, 0, 0}}),
            placed({{quarter, 0, 0}}, {{0.3, 0, 0}}))
      .link("hand", bar(0.5), "slide", "wrist", moves(JointKind::revolute, {{1, 2, 0}}), placed({{0, 0.4, 0}}, {{0, 0, 0.2}}));
}

Constraint joined(const std::string& name, ConstraintType type, const std::string& one, const Vec3<double>& there,
                  const std::string& other, const Vec3<double>& here) {
  Constraint c;
  c.name = name, c.type = type, c.links = {one, other}, c.hard = true, c.omega = 0;
  c.frames[0].d = there, c.frames[1].d = here;
  return c;
}

/// A crank with a coupler, and a rocker, in the plane across y of a frame turned by rpy; joined where the rod ends.
Constraint add_four_bar(ModelBuilder& robot, const std::string& name, const std::string& on, const Vec3<double>& rpy,
                        const Inertia<double>& coupler = bar(0.5)) {
  const JointSpec hinge = moves(JointKind::revolute, {{0, 1, 0}});
  const Vec3<double> there = rotation_from_rpy(rpy) * Vec3<double>{{0.5, 0, 0.03}};
  robot.link(name + "crank", bar(0.4), on, name + "a", hinge, placed(rpy, zero3<double>()));
  robot.link(name + "coupler", coupler, name + "crank", name + "b", hinge, placed({{0, 0, 0}}, {{0.3, 0, 0}}));
  robot.link(name + "rocker", bar(0.6), on, name + "c", hinge, placed(rpy, there));
  return joined(name + "rod", ConstraintType::connect, name + "coupler", {{0.6, 0, 0}}, name + "rocker", {{0.4, 0, 0}});
}

/// The same with two more bars, closed by a weld whose frames are turned in the plane.
Constraint add_six_bar(ModelBuilder& robot, const std::string& on, const Vec3<double>& rpy) {
  add_four_bar(robot, "", on, rpy);
  const JointSpec hinge = moves(JointKind::revolute, {{0, 1, 0}});
  robot.link("fourth", bar(0.3), "coupler", "d", hinge, placed({{0, 0, 0}}, {{0.3, 0, 0}}));
  robot.link("fifth", bar(0.3), "fourth", "e", hinge, placed({{0, 0, 0}}, {{0.3, 0, 0}}));
  Constraint grip = joined("rod", ConstraintType::weld, "fifth", {{0.02, 0, 0}}, "rocker", {{0.4, 0, 0}});
  grip.frames[1].R = rotation_from_rpy({{0, 0.4, 0}});
  return grip;
}

/// Hinges whose axes all meet in one point, joined at two points of the same distance from it.
Constraint add_spherical(ModelBuilder& robot, const std::string& on) {
  const Pose<double> centre = placed({{0.3, -0.5, 0.2}}, {{0.1, 0, 0.1}}), same = identity_pose<double>();
  robot.link("crank", bar(0.4), on, "a", moves(JointKind::revolute, {{0.3, 1, 0.2}}), centre);
  robot.link("coupler", bar(0.5), "crank", "b", moves(JointKind::revolute, {{1, 0.3, -0.4}}), same);
  robot.link("rocker", bar(0.6), on, "c", moves(JointKind::revolute, {{-0.2, 0.4, 1}}), centre);
  return joined("rod", ConstraintType::connect, "coupler", {{0, 0.4, 0}}, "rocker", {{0.24, 0, 0.32}});
}

struct Linkage {
  Model model;
  ConstraintSet loops;
};

/// "where how": where the linkage is, "hand" or "trunk", and what it is.
Linkage linkage(const std::string& where, const std::string& how, bool floating) {
  ModelBuilder robot = trunk_with_limb(floating);
  Linkage made;
  std::vector<Constraint>& all = made.loops.constraints;
  if (how == "upright") all = {add_four_bar(robot, "", where, {{0, 0, 0}})};
  if (how == "quarter turn") all = {add_four_bar(robot, "", where, {{quarter, 0, quarter}})};
  if (how == "oblique") all = {add_four_bar(robot, "", where, {{0.5, 0.3, -0.7}})};
  if (how == "nearly upright") all = {add_four_bar(robot, "", where, {{1e-5, 0, 0}})};
  if (how == "light") all = {add_four_bar(robot, "", where, {{0.5, 0.3, -0.7}}, light_bar)};
  if (how == "soft") all = {add_four_bar(robot, "", where, {{0.5, 0.3, -0.7}})}, all[0].inverse_weight = {{1e6, 1e6}};
  if (how == "weld") all = {add_six_bar(robot, where, {{0.5, 0.3, -0.7}})};
  if (how == "upright weld") all = {add_six_bar(robot, where, {{0, 0, 0}})};
  if (how == "about a point") all = {add_spherical(robot, where)};
  if (how == "one on the other") {
    all = {add_four_bar(robot, "", where, {{0, quarter, 0}})};
    all.push_back(add_four_bar(robot, "next ", "coupler", {{0.2, 0.4, 0.6}}));
  }
  made.model = robot.build();
  return made;
}

/// At rest and moving, at home and turned; the loops closed.
std::vector<State> states_on_loops(const Linkage& robot) {
  std::mt19937 rng(3);
  LoopProjection loops(robot.model, robot.loops);
  std::vector<State> states;
  for (int k = 0; k < 24 && states.size() < 8; ++k) {
    State s = random_state(robot.model, rng);
    for (const Joint& joint : robot.model.joints) {
      const bool of_limb = joint.name == "shoulder" || joint.name == "extend" || joint.name == "wrist";
      if (of_limb && k % 4 == 1) s.q[joint.q] = 0;
      if (of_limb && k % 4 == 2) s.q[joint.q] = quarter * (k % 3);
      const char which = joint.name.back();
      if (!of_limb && joint.nv == 1)
        s.q[joint.q] = (which == 'a' ? -0.9 : which == 'b' ? 0.7 : which == 'c' ? -1.1 : 0.3) + 0.05 * k;
    }
    if (robot.model.floating() && k % 4 == 1) std::fill_n(s.q.begin(), 6, 0.0), s.q[6] = 1;
    if (k % 2) std::fill(s.v.begin(), s.v.end(), 0.0);
    if (!loops.project(s.q.data(), s.v.data()).ok()) continue;
    states.push_back(s);
  }
  REQUIRE(states.size() >= 6);
  return states;
}

struct Exact {
  Eigen::VectorXd a, force;  // of the forces with this Jᵀ λ the least
  Eigen::MatrixXd J;
};

using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
using LongVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;

/// M a − Jᵀ λ = τ − bias, J a = a*; in long double, since J M⁻¹ Jᵀ of a light link has a condition of 10⁸.
Exact dense_answer(const Linkage& robot, const State& s) {
  ConstraintRows rows(robot.model, resolved(robot.model, robot.loops, inverse_weights(robot.model)));
  Workspace<double> ws(robot.model);
  rows.at(ws, s.q.data(), s.v.data());
  const int n = robot.model.nv, m = rows.rows();
  std::vector<double> M(static_cast<std::size_t>(n) * n), bias(static_cast<std::size_t>(n));
  crba<double>(robot.model, ws, s.q.data(), M.data());
  bias_forces<double>(robot.model, ws, s.q.data(), s.v.data(), nullptr, bias.data());
  LongMatrix inertia = Eigen::Map<Eigen::MatrixXd>(M.data(), n, n).cast<long double>(), J(m, n);
  LongVector push(n), aim(m);
  for (int i = 0; i < n; ++i) push[i] = s.tau[i] - bias[i];
  for (int r = 0; r < m; ++r) {
    aim[r] = rows.aim()[r];
    for (int k = 0; k < n; ++k) J(r, k) = rows.row(r)[k];
  }
  const LongMatrix L = inertia.llt().matrixL();
  const LongMatrix X = L.triangularView<Eigen::Lower>().solve(J.transpose());
  const LongVector free = L.triangularView<Eigen::Lower>().solve(push);
  Eigen::JacobiSVD<LongMatrix> svd(X, Eigen::ComputeThinU | Eigen::ComputeThinV);
  LongVector along = svd.matrixV().transpose() * (aim - X.transpose() * free);
  for (int k = 0; k < along.size(); ++k) {
    const long double sigma = svd.singularValues()[k];
    along[k] = sigma > 1e-8 * svd.singularValues()[0] ? along[k] / (sigma * sigma) : 0;
  }
  const LongVector force = svd.matrixV() * along, pushed = free + X * force,
                   a = L.transpose().triangularView<Eigen::Upper>().solve(pushed);
  return {a.cast<double>(), force.cast<double>(), J.cast<double>()};
}

}  // namespace

TEST_CASE("closures: a linkage on any body is answered however it is turned, with the least of its forces") {
  const std::string where = GENERATE("hand", "trunk"),
                    how = GENERATE("upright", "quarter turn", "oblique", "nearly upright", "about a point", "one on the other");
  const bool floating = GENERATE(false, true);
  CAPTURE(where, how, floating);
  const Linkage robot = linkage(where, how, floating);
  SensorSet set = forward_dynamics_set();
  set.constraints = robot.loops;
  ConstrainedDynamics dynamics(robot.model, robot.loops);
  const std::vector<State> states = states_on_loops(robot);
  for (const std::string name : {"newton-euler", "intermediate-frames", "net-forces"}) {
    INFO(name);
    const System system(robot.model, set, formulation_named(name));
    for (std::size_t at = 0; at < (name == "newton-euler" ? states.size() : 3); ++at) {  // a still state among three
      const State& s = states[at];
      const Exact exact = dense_answer(robot, s);
      const Eigen::VectorXd x = solved_for(system, s, s.tau);
      const double size = std::max(1.0, exact.a.cwiseAbs().maxCoeff()), force = std::max(1.0, exact.force.norm());
      for (int k = 0; k < robot.model.nv; ++k) CHECK(std::abs(x[system.ddq_column(k)] - exact.a[k]) <= 1e-9 * size);
      std::vector<double> a(s.v), lambda(dynamics.force_columns().size());
      REQUIRE(dynamics.forward(s.q.data(), s.v.data(), s.tau.data(), nullptr, a.data(), lambda.data(), nullptr).ok());
      for (std::size_t k = 0; k < lambda.size(); ++k) {
        const auto row = static_cast<Eigen::Index>(k);
        CHECK(std::abs(x[column_of(system, "lambda." + dynamics.force_columns()[k])] - exact.force[row]) <= 1e-9 * force);
        CHECK(std::abs(lambda[k] - exact.force[row]) <= 1e-11 * force);
      }
    }
  }
}

TEST_CASE("closures: a weld that closes a plane linkage has the same motion, and no more rows than the plane has") {
  const std::string where = GENERATE("hand", "trunk"), how = GENERATE("weld", "upright weld");
  const bool floating = GENERATE(false, true);
  CAPTURE(where, how, floating);
  const Linkage robot = linkage(where, how, floating);
  const HardRows rows = hard_rows(robot.model, robot.loops);
  CHECK(rows.rank == 3);
  CHECK(rows.redundant.size() == 3);
  SensorSet set = forward_dynamics_set();
  set.constraints = robot.loops;
  const System system(robot.model, set);
  ConstrainedDynamics dynamics(robot.model, robot.loops);
  std::vector<double> a(static_cast<std::size_t>(robot.model.nv)), lambda(dynamics.force_columns().size());
  for (const State& s : states_on_loops(robot)) {
    const Exact exact = dense_answer(robot, s);
    const Eigen::VectorXd x = solved_for(system, s, s.tau);
    const double size = std::max(1.0, exact.a.cwiseAbs().maxCoeff()), force = std::max(1.0, exact.force.norm());
    for (int k = 0; k < robot.model.nv; ++k) CHECK(std::abs(x[system.ddq_column(k)] - exact.a[k]) <= 1e-9 * size);
    REQUIRE(dynamics.forward(s.q.data(), s.v.data(), s.tau.data(), nullptr, a.data(), lambda.data(), nullptr).ok());
    for (std::size_t k = 0; k < lambda.size(); ++k)
      CHECK(std::abs(x[column_of(system, "lambda." + dynamics.force_columns()[k])] - lambda[k]) <= 1e-9 * force);
  }
}

TEST_CASE("closures: the least of a linkage's forces, of a light coupler or of rows of a large inverse weight") {
  const std::string where = GENERATE("hand", "trunk"), how = GENERATE("light", "soft");
  const bool floating = GENERATE(false, true);
  CAPTURE(where, how, floating);
  const Linkage robot = linkage(where, how, floating);
  ConstrainedDynamics dynamics(robot.model, robot.loops);
  int refused = 0;
  for (const State& s : states_on_loops(robot)) {
    const Exact exact = dense_answer(robot, s);
    std::vector<double> a(s.v), lambda(dynamics.force_columns().size());
    if (!dynamics.forward(s.q.data(), s.v.data(), s.tau.data(), nullptr, a.data(), lambda.data(), nullptr).ok()) {
      CHECK(++refused <= 1);  // steps by halves end before they settle
      continue;
    }
    const Eigen::VectorXd off = Eigen::Map<Eigen::VectorXd>(lambda.data(), exact.force.size()) - exact.force;
    CHECK(off.norm() <= 1e-10 * exact.force.norm());
    CHECK((exact.J.transpose() * off).norm() <= 1e-10 * (exact.J.transpose() * exact.force).norm());
  }
}

TEST_CASE("closures: linkages mounted with a rounded quarter turn have one redundant row") {
  const double turn = GENERATE(1.57, 1.5708, 1.5707963, 1.57079632, 1.57079633, 1.570796327, 1.5707963268);
  const std::string where = GENERATE("hand", "trunk");
  const bool floating = GENERATE(false, true);
  CAPTURE(turn, where, floating);
  ModelBuilder limb = trunk_with_limb(floating);
  Linkage robot;
  robot.loops.constraints = {add_four_bar(limb, "", where, {{turn, 0, 0}})};
  robot.model = limb.build();
  const HardRows rows = hard_rows(robot.model, robot.loops);
  CHECK(rows.rank == 2);
  CHECK(rows.redundant.size() == 1);
  SensorSet set = forward_dynamics_set();
  set.constraints = robot.loops;
  ConstrainedDynamics dynamics(robot.model, robot.loops);
  SolverOptions wanted{{"ddq"}};
  for (const std::string& column : dynamics.force_columns()) wanted.outputs.push_back("lambda." + column);
  Solver solver = make_solver(robot.model, set, wanted);
  const auto n = static_cast<std::size_t>(robot.model.nv), forces = dynamics.force_columns().size();
  std::vector<double> a(n), lambda(forces), out(n + forces);
  REQUIRE(solver.output_columns().size() == out.size());
  for (const State& s : states_on_loops(robot)) {
    const Exact exact = dense_answer(robot, s);
    const double size = std::max(1.0, exact.a.cwiseAbs().maxCoeff()), force = std::max(1.0, exact.force.norm());
    REQUIRE(dynamics.forward(s.q.data(), s.v.data(), s.tau.data(), nullptr, a.data(), lambda.data(), nullptr).ok());
    std::vector<double> y = inputs_of(solver.system(), s.tau);
    REQUIRE(solver.solve(s.q.data(), s.v.data(), y.data(), out.data()).ok());
    for (std::size_t k = 0; k < n; ++k) CHECK(std::abs(out[k] - exact.a[static_cast<Eigen::Index>(k)]) <= 1e-9 * size);
    for (std::size_t k = 0; k < forces; ++k) {
      CHECK(std::abs(lambda[k] - exact.force[static_cast<Eigen::Index>(k)]) <= 1e-10 * force);
      CHECK(std::abs(out[n + k] - exact.force[static_cast<Eigen::Index>(k)]) <= 1e-9 * force);
    }
  }
}
