// Constraints of robots whose joints follow others, q_t = G y + g, beside the tree on which every joint moves on its own: the
// rows' forces put on its links and joints and gathered by Gᵀ, the rows' aims by G, the weights by accelerations at rest.
#include <Eigen/Dense>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "constrained_states.hpp"
#include "constraints/rows.hpp"
#include "sparsedyn/constraints/closed_loops.hpp"
#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "support/coupled.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

using Square = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

CoupledRobot robot(unsigned seed, bool floating, std::mt19937& rng) {
  TreeOptions options;
  options.floating = floating, options.kinds = every_joint_kind();
  return random_coupled_robot(with_stops(random_tree(8, seed, options), rng), seed);
}

/// What each constraint of one joint on a follower adds to those of the leaders: a stop, and what rubs.
void add_follower(const CoupledRobot& r, ConstraintSet& set) {
  for (const Joint& joint : r.model.joints)
    if (joint.follows()) {
      Constraint stop, rub;
      stop.name = "follower_stop", stop.type = ConstraintType::limit, stop.joints = {joint.name};
      rub.name = "follower_rub", rub.type = ConstraintType::dry_friction, rub.joints = {joint.name}, rub.loss = 0.3;
      set.constraints.push_back(stop), set.constraints.push_back(rub);
      return;
    }
}

/// The wrench that a contact's λ is on its body, in the body's frame.
Force<double> wrench_of(const Model& tree, const Workspace<double>& ws, const Constraint& c, int point, const double* lambda,
                        double gap) {
  const int link = tree.find_link(c.links[0]);
  const Pose<double> pose = link_pose(tree, ws, link), &frame = ws.world_pose[tree.links[link].body];
  const Vec3<double> n = (1 / std::sqrt(dot(c.plane_normal, c.plane_normal))) * c.plane_normal;
  const Vec3<double> at = pose.R * c.points[static_cast<std::size_t>(point)] + pose.d - (c.radius + 0.5 * gap) * n;
  const Vec3<double> f{{lambda[0], lambda[1], lambda[2]}};
  Vec3<double> moment = zero3<double>();
  if (c.friction.size() > 1) moment = {{lambda[3], lambda[4], lambda[5]}};
  return {transposed_times(frame.R, cross(at - frame.d, f) + moment), transposed_times(frame.R, f)};
}

/// Generalised forces on the tree of all that λ says: contacts as wrenches, the rest as torques of their joints.
std::vector<double> forces_on_tree(const CoupledRobot& r, const ConstraintSet& set, const ConstrainedDynamics& dynamics,
                                   const std::vector<double>& q, const ConstrainedAnswer& x) {
  const Model& tree = r.tree;
  Workspace<double> ws(tree);
  forward_kinematics<double>(tree, ws, q.data(), nullptr, nullptr);
  std::vector<Force<double>> fx(tree.bodies.size(), Force<double>{zero3<double>(), zero3<double>()});
  std::vector<double> tau(static_cast<std::size_t>(tree.nv), 0.0), loads(tau), still(tau);
  const double *lambda = x.lambda.data(), *gap = x.gap.data();
  std::size_t block = 0;
  for (const Constraint& c : set.constraints) {
    for (std::size_t p = 0; c.type == ConstraintType::contact && p < c.points.size(); ++p, ++block, ++gap) {
      Force<double>& on = fx[static_cast<std::size_t>(tree.links[tree.find_link(c.links[0])].body)];
      on = on + wrench_of(tree, ws, c, static_cast<int>(p), lambda, *gap);
      lambda += c.friction.size() > 1 ? 6 : 3;
    }
    const auto names = dynamics.constraint_names();
    while (c.type != ConstraintType::contact && block < names.size() &&
           (names[block] == c.name || names[block].rfind(c.name + ".", 0) == 0)) {
      const std::string joint = c.all ? names[block].substr(c.name.size() + 1) : c.joints[0];
      tau[static_cast<std::size_t>(tree.joints[tree.find_joint(joint)].v)] += *lambda;
      if (!c.of.empty()) {
        const Joint& of = tree.joints[tree.find_joint(c.of)];
        const double at = q[static_cast<std::size_t>(of.q)];
        double slope = 0;
        for (std::size_t k = c.polynomial.size(); k-- > 1;) slope = slope * at + static_cast<double>(k) * c.polynomial[k];
        tau[static_cast<std::size_t>(of.v)] -= slope * *lambda;
      }
      for (const auto& [name, factor] : c.linear)
        tau[static_cast<std::size_t>(tree.joints[tree.find_joint(name)].v)] -= factor * *lambda;
      ++lambda, ++block;
    }
  }
  const Model weightless = with_gravity(tree, zero3<double>());
  rnea<double>(weightless, ws, q.data(), still.data(), still.data(), fx.data(), loads.data());  // −Σ Jᵀ fx
  for (std::size_t k = 0; k < tau.size(); ++k) {
    const double offset = tree.physics.empty() ? 0 : tree.physics[k].offset;
    tau[k] -= loads[k] - offset;
  }
  return tau;
}

/// Mean acceleration of a body's centre of mass along a unit force there, three ways, from rest at the zero posture.
double linear_weight(const Model& model, int body) {
  const Model weightless = with_gravity(model, zero3<double>());
  std::vector<double> q(static_cast<std::size_t>(model.nq)), still(static_cast<std::size_t>(model.nv), 0.0), a(still), base(a);
  neutral(model, q.data());
  Workspace<double> ws(weightless);
  const Inertia<double>& I = model.bodies[static_cast<std::size_t>(body)].inertia;
  const Vec3<double> com = (1 / I.m) * I.h;
  std::vector<Force<double>> fx(model.bodies.size(), Force<double>{zero3<double>(), zero3<double>()});
  REQUIRE(aba(weightless, ws, q.data(), still.data(), still.data(), fx.data(), base.data()).ok());
  double sum = 0;
  for (int k = 0; k < 3; ++k) {
    Vec3<double> e = zero3<double>();
    e[k] = 1;
    fx[static_cast<std::size_t>(body)] = {cross(com, e), e};
    REQUIRE(aba(weightless, ws, q.data(), still.data(), still.data(), fx.data(), a.data()).ok());
    for (std::size_t i = 0; i < a.size(); ++i) a[i] -= base[i];
    forward_kinematics<double>(weightless, ws, q.data(), nullptr, a.data());
    const Motion<double>& moves = ws.acceleration[static_cast<std::size_t>(body)];
    sum += (moves.v + cross(moves.w, com))[k];
  }
  return sum / 3;
}

}  // namespace

TEST_CASE("constraints of coupled joints: forward and inverse agree, and their forces on the tree move the robot") {
  std::mt19937 rng(5);
  int forces = 0;
  for (unsigned seed = 0; seed < 24; ++seed) {
    const CoupledRobot r = robot(seed, seed % 2 == 0, rng);
    const Instant s = instant(r.model, rng);
    ConstraintSet set = touching(r.model, s, rng, seed % 4 < 2 ? Cone::elliptic : Cone::pyramidal);
    add_joint_constraints(r.model, set), add_follower(r, set);
    ConstrainedDynamics dynamics(r.model, set);
    ConstrainedAnswer x(r.model, dynamics), back(r.model, dynamics);
    const ConstraintStatus status = solve(dynamics, s, x);
    CAPTURE(seed, dynamics.describe(status));
    REQUIRE(status.ok());
    std::vector<double> tau(s.tau);
    REQUIRE(
        dynamics.inverse(s.q.data(), s.v.data(), x.a.data(), nullptr, tau.data(), back.lambda.data(), back.gap.data()).ok());
    double size = 1;
    for (double f : x.lambda) size = std::max(size, std::abs(f)), forces += f != 0;
    for (std::size_t k = 0; k < tau.size(); ++k) CHECK(std::abs(tau[k] - s.tau[k]) <= 1e-8 * size);
    for (std::size_t k = 0; k < x.lambda.size(); ++k) CHECK(std::abs(back.lambda[k] - x.lambda[k]) <= 1e-8 * size);

    const std::vector<double> q = r.positions(s.q), v = r.rates(s.v), a = r.rates(x.a);
    std::vector<double> needed(static_cast<std::size_t>(r.tree.nv));
    Workspace<double> ws(r.tree);
    rnea<double>(r.tree, ws, q.data(), v.data(), a.data(), nullptr, needed.data());
    const std::vector<double> given = forces_on_tree(r, set, dynamics, q, x);
    for (std::size_t k = 0; k < needed.size(); ++k) needed[k] -= given[k];
    const std::vector<double> left = r.gathered(needed);
    for (std::size_t k = 0; k < left.size(); ++k) CHECK(std::abs(left[k] - s.tau[k]) <= 1e-9 * size);
  }
  CHECK(forces > 200);
}

TEST_CASE("constraints of coupled joints: the tree's forces, by their weights") {
  // λ = (a* − J a)/R with R in proportion to the weight: at one motion, λ times the weight is the tree's
  std::mt19937 rng(8);
  int stops = 0, contacts = 0;
  for (unsigned seed = 0; seed < 30; ++seed) {
    const CoupledRobot r = robot(seed, seed % 2 == 0, rng);
    const Instant s = instant(r.model, rng);
    ConstraintSet set = touching(r.model, s, rng, Cone::elliptic);
    for (Constraint& c : set.constraints) c.friction.clear();
    const std::size_t touches = set.constraints.size();
    for (const Joint& joint : r.tree.joints)
      if (joint.nv == 1) {
        Constraint stop;
        stop.name = joint.name, stop.type = ConstraintType::limit, stop.joints = {joint.name};
        set.constraints.push_back(stop);
      }
    ConstrainedDynamics dynamics(r.model, set), on_tree(r.tree, set);
    ConstrainedAnswer x(r.model, dynamics), y(r.tree, on_tree);
    std::vector<double> tau(static_cast<std::size_t>(r.tree.nv));
    REQUIRE(dynamics.inverse(s.q.data(), s.v.data(), s.tau.data(), nullptr, tau.data(), x.lambda.data(), x.gap.data()).ok());
    const std::vector<double> q = r.positions(s.q), v = r.rates(s.v), a = r.rates(s.tau);
    REQUIRE(on_tree.inverse(q.data(), v.data(), a.data(), nullptr, tau.data(), y.lambda.data(), y.gap.data()).ok());
    std::vector<double> M(static_cast<std::size_t>(r.tree.nv) * r.tree.nv), rest(static_cast<std::size_t>(r.model.nq));
    neutral(r.model, rest.data());
    Workspace<double> ws(r.tree);
    crba<double>(r.tree, ws, r.positions(rest).data(), M.data());
    const Eigen::MatrixXd inverse =
        r.G * (r.G.transpose() * Square::Map(M.data(), r.tree.nv, r.tree.nv) * r.G).inverse() * r.G.transpose();
    std::vector<double> rest_of_tree(static_cast<std::size_t>(r.tree.nq));
    neutral(r.tree, rest_of_tree.data());
    crba<double>(r.tree, ws, rest_of_tree.data(), M.data());
    const Eigen::MatrixXd of_tree = Square::Map(M.data(), r.tree.nv, r.tree.nv).inverse();
    std::size_t at = 0;
    CAPTURE(seed);
    for (std::size_t k = 0; k < set.constraints.size(); ++k) {
      const Constraint& c = set.constraints[k];
      double ours, theirs;
      const std::size_t many = k < touches ? 3 * c.points.size() : 1;
      if (k < touches) {
        const int body = r.tree.links[r.tree.find_link(c.links[0])].body;
        if (r.tree.bodies[static_cast<std::size_t>(body)].inertia.m == 0) {
          at += many;
          continue;
        }
        ours = linear_weight(r.model, body), theirs = linear_weight(r.tree, body);
      } else {
        const int j = r.tree.joints[r.tree.find_joint(c.joints[0])].v;
        ours = inverse(j, j), theirs = of_tree(j, j);
      }
      for (std::size_t end = at + many; at < end; ++at) {
        (k < touches ? contacts : stops) += x.lambda[at] != 0;
        CHECK(std::abs(x.lambda[at] * ours - y.lambda[at] * theirs) <= 1e-9 * std::max(1.0, std::abs(y.lambda[at] * theirs)));
      }
    }
  }
  CHECK(stops > 30);
  CHECK(contacts > 30);
}

TEST_CASE("hard loops of coupled joints are Lagrange's on GᵀMG and J G") {
  std::mt19937 rng(11);
  for (unsigned seed = 0; seed < 12; ++seed) {
    TreeOptions options;
    options.floating = true, options.branching = seed % 3 ? 0 : 0.4, options.lumped = false;
    const CoupledRobot r = random_coupled_robot(random_tree(10, seed, options), seed);
    const Instant s = instant(r.model, rng);
    Constraint connect, gear;
    connect.name = "loop", connect.type = ConstraintType::connect, connect.links = {r.tree.links.back().name, "world"};
    connect.hard = true, connect.omega = 3, connect.frames[0].d = {{0.1, 0.2, 0}}, connect.frames[1].d = {{0, -0.1, 0.3}};
    gear.name = "gear", gear.type = ConstraintType::joint, gear.hard = true, gear.omega = 2;
    const auto joint = [&](bool follows) {
      for (const Joint& j : r.model.joints)
        if (j.name != "base" && j.follows() == follows) return j.name;
      return std::string();
    };
    gear.joints = {joint(true)}, gear.of = joint(false), gear.polynomial = {0.2, 0.37, 0.3};
    ConstraintSet set;
    set.constraints = {connect, gear};
    ConstrainedDynamics dynamics(r.model, set);
    ConstrainedAnswer x(r.model, dynamics);
    const ConstraintStatus status = solve(dynamics, s, x);
    CAPTURE(seed, gear.joints[0], gear.of, dynamics.describe(status));
    REQUIRE(status.ok());

    const std::vector<double> q = r.positions(s.q), v = r.rates(s.v);
    ConstraintRows rows(r.tree, resolved(r.tree, set, inverse_weights(r.tree)));
    Workspace<double> ws(r.tree);
    std::vector<double> M(static_cast<std::size_t>(r.tree.nv) * r.tree.nv), bias(static_cast<std::size_t>(r.tree.nv));
    rows.at(ws, q.data(), v.data());
    crba<double>(r.tree, ws, q.data(), M.data());
    rnea<double>(r.tree, ws, q.data(), v.data(), nullptr, nullptr, bias.data());
    const int n = r.model.nv, m = rows.rows();
    const Eigen::MatrixXd J = Square::Map(rows.row(0), m, r.tree.nv) * r.G;
    const std::vector<double> push = r.gathered(bias);
    const Eigen::MatrixXd inertia = r.G.transpose() * Square::Map(M.data(), r.tree.nv, r.tree.nv) * r.G;
    const Eigen::VectorXd aim = Eigen::VectorXd::Map(rows.aim().data(), m), a = Eigen::VectorXd::Map(x.a.data(), n);
    // J a as aimed, and M a − push is some Jᵀ λ.
    const Eigen::VectorXd pull = inertia * a + Eigen::VectorXd::Map(push.data(), n) - Eigen::VectorXd::Map(s.tau.data(), n);
    const Eigen::VectorXd lambda = J.transpose().fullPivHouseholderQr().solve(pull);
    const double size = std::max(1.0, (inertia.cwiseAbs() * a.cwiseAbs()).maxCoeff());
    CHECK((pull - J.transpose() * lambda).cwiseAbs().maxCoeff() <= 1e-9 * size);
    CHECK((J * a - aim).cwiseAbs().maxCoeff() <= 1e-10 * std::max(1.0, aim.cwiseAbs().maxCoeff()));
  }
}
