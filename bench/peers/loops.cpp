// Closed loops that hold exactly: forward dynamics beside Pinocchio's constraintDynamics.
//   bench_loops FOLDER      of atlas.urdf, hyq.urdf, simple_humanoid.urdf
// A call is everything: kinematics, bias, rows, factors, accelerations and constraint forces of Pinocchio, accelerations of
// ours. States lie on the loops (LoopProjection), so that both pose one problem whatever the stabilisation. Programs are
// compiled by $CC with $CFLAGS. Processor time, the least of many rounds, all in turn on the same states.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>
#include <pinocchio/algorithm/constrained-dynamics.hpp>
#include <pinocchio/algorithm/frames.hpp>
#include <random>

#include "contender.hpp"
#include "pinocchio_model.hpp"
#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/constraints/closed_loops.hpp"
#include "sparsedyn/constraints/constrained_dynamics.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/jit/compiled_program.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/urdf/load.hpp"

namespace peers {
namespace {

using sparsedyn::Model;
using Vector = std::vector<double>;

constexpr int sample_count = 64, rounds = 41;

/// Frames of links that stay together; a point of each (connect) or all of it (weld).
struct Loop {
  std::string first, second;  // the second may be "world"
  bool weld;
};
struct Case {
  const char *robot, *title;
  std::vector<Loop> loops;
};

const std::vector<Case> cases{
    {"atlas", "hands welded", {{"l_hand", "r_hand", true}}},
    {"atlas", "feet held", {{"l_foot", "world", true}, {"r_foot", "world", true}}},
    {"atlas", "feet held, hands welded", {{"l_foot", "world", true}, {"r_foot", "world", true}, {"l_hand", "r_hand", true}}},
    {"simple_humanoid", "hands welded", {{"l_wrist", "r_wrist", true}}},
    {"simple_humanoid", "feet held", {{"l_ankle", "world", true}, {"r_ankle", "world", true}}},
    {"hyq",
     "feet pinned",
     {{"lf_foot", "world", false}, {"rf_foot", "world", false}, {"lh_foot", "world", false}, {"rh_foot", "world", false}}}};

/// A link in the world, or the world.
sparsedyn::Pose<double> pose_of(const Model& model, sparsedyn::Workspace<double>& ws, const std::string& link) {
  return link == "world" ? sparsedyn::identity_pose<double>() : link_pose(model, ws, model.find_link(link));
}

/// The loops as they are closed at posture q: frames at the first link's origin.
sparsedyn::ConstraintSet closed_at(const Model& model, const std::vector<Loop>& loops, const Vector& q) {
  sparsedyn::Workspace<double> ws(model);
  sparsedyn::forward_kinematics<double>(model, ws, q.data(), nullptr, nullptr);
  sparsedyn::ConstraintSet set;
  for (const Loop& loop : loops) {
    sparsedyn::Constraint c;
    c.name = "loop" + std::to_string(set.constraints.size()), c.hard = true;
    c.type = loop.weld ? sparsedyn::ConstraintType::weld : sparsedyn::ConstraintType::connect;
    c.links = {loop.first, loop.second};
    const sparsedyn::Pose<double> first = pose_of(model, ws, loop.first), second = pose_of(model, ws, loop.second);
    c.frames[1] = {transpose(second.R) * first.R, transposed_times(second.R, first.d - second.d)};
    set.constraints.push_back(c);
  }
  return set;
}

/// Postures about q with closed loops, velocities that keep them closed; no torque on a free base.
std::vector<State> states_on(const Model& model, const sparsedyn::ConstraintSet& set, const Vector& q) {
  std::mt19937 rng(1);
  std::normal_distribution<double> normal;
  sparsedyn::LoopProjection projection(model, set);
  std::vector<State> states;
  for (int tried = 0; static_cast<int>(states.size()) < sample_count && tried < 100 * sample_count; ++tried) {
    State s{Vector(q.size()), Vector(static_cast<std::size_t>(model.nv)), {}, Vector(static_cast<std::size_t>(model.nv))};
    Vector step(s.v);
    for (double& x : step) x = 0.3 * normal(rng);
    for (double& x : s.v) x = normal(rng);
    for (std::size_t i = 6; i < s.tau.size(); ++i) s.tau[i] = 5 * normal(rng);
    sparsedyn::integrate(model, q.data(), step.data(), s.q.data());
    if (projection.project(s.q.data(), s.v.data()).ok()) states.push_back(s);
  }
  return states;
}

/// Pinocchio's side of a case.
struct Peer {
  Peer(const std::string& urdf, const Model& model, const sparsedyn::ConstraintSet& set)
      : robot(urdf, model), data(robot.model) {
    for (const sparsedyn::Constraint& c : set.constraints) {
      const auto [first, first_placement] = frame(c.links[0], c.frames[0]);
      const auto [second, second_placement] = frame(c.links[1], c.frames[1]);
      const auto type = c.type == sparsedyn::ConstraintType::weld ? pinocchio::CONTACT_6D : pinocchio::CONTACT_3D;
      models.emplace_back(type, robot.model, first, first_placement, second, second_placement, pinocchio::LOCAL);
    }
    for (const auto& m : models) datas.emplace_back(m.createData());
    pinocchio::initConstraintDynamics(robot.model, data, models, datas);
  }
  std::pair<pinocchio::JointIndex, pinocchio::SE3> frame(const std::string& link,
                                                         const sparsedyn::Pose<double>& in_link) const {
    Eigen::Matrix3d R;
    Eigen::Vector3d d;
    for (int i = 0; i < 3; ++i) {
      d[i] = in_link.d[i];
      for (int k = 0; k < 3; ++k) R(i, k) = in_link.R(i, k);
    }
    if (link == "world") return {0, pinocchio::SE3(R, d)};
    const auto& of_link = robot.model.frames[robot.model.getFrameId(link, pinocchio::BODY)];
    return {of_link.parentJoint, of_link.placement * pinocchio::SE3(R, d)};
  }
  const Eigen::VectorXd& solve(const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Eigen::VectorXd& tau,
                               pinocchio::ProximalSettings& settings) {
    return pinocchio::constraintDynamics(robot.model, data, q, v, tau, models, datas, settings);
  }

  PinocchioModel robot;
  pinocchio::Data data;
  std::vector<pinocchio::RigidConstraintModel, Eigen::aligned_allocator<pinocchio::RigidConstraintModel>> models;
  std::vector<pinocchio::RigidConstraintData, Eigen::aligned_allocator<pinocchio::RigidConstraintData>> datas;
};

/// The planned sparse system with the loops' rows, in the cheapest formulation, as a program. Only accelerations are asked for.
struct Generated {
  Generated(const Model& model, const sparsedyn::ConstraintSet& loops) {
    sparsedyn::SensorSet set = sparsedyn::load_sensor_set("forward-dynamics");
    set.constraints = loops;
    sparsedyn::OptimiseOptions options;
    options.outputs = {"ddq"};
    const sparsedyn::FormulationResult best =
        sparsedyn::compare_formulations(model, set, sparsedyn::all_formulations(), sparsedyn::Cost::folded, options).front();
    if (!best.misfit.empty()) throw std::runtime_error(best.misfit);
    const sparsedyn::Program program =
        sparsedyn::sensor_program(*best.system, best.plan, {"ddq"}, sparsedyn::required_inputs(*best.system));
    what = formulation_name(best.formulation) + ", " + best.plan.strategy, flops = program.counts().flops();
    const std::vector<std::string> names = velocity_names(model);
    for (const std::string& element : program.inputs().at(2).elements)
      torques.push_back(std::find(names.begin(), names.end(), element.substr(4)) - names.begin());
    y.resize(torques.size()), a.resize(static_cast<std::size_t>(model.nv));
    code = std::make_unique<sparsedyn::CompiledProgram>(sparsedyn::emit_c(program, "loops"), "loops");
  }
  void run(const State& s) {
    for (std::size_t k = 0; k < y.size(); ++k) y[k] = s.tau[static_cast<std::size_t>(torques[k])];
    const double* arg[] = {s.q.data(), s.v.data(), y.data()};
    double* res[] = {a.data()};
    code->call(arg, res);
  }

  std::string what;
  long flops = 0;
  std::vector<std::ptrdiff_t> torques;  // entries of tau that the program reads
  Vector y, a;
  std::unique_ptr<sparsedyn::CompiledProgram> code;
};

/// ns a state of each, in turn.
Vector raced(const std::vector<std::function<void(int)>>& runners) {
  Vector best(runners.size(), INFINITY);
  for (int round = 0; round < rounds; ++round)
    for (std::size_t r = 0; r < runners.size(); ++r) {
      const std::clock_t start = std::clock();
      for (int repeat = 0; repeat < 8; ++repeat)
        for (int s = 0; s < sample_count; ++s) runners[r](s);
      best[r] = std::min(best[r], 1e9 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / sample_count / 8);
    }
  return best;
}

/// Largest difference beside the largest entry of r.
double apart(const Eigen::VectorXd& r, const Vector& x, const std::vector<int>& theirs) {
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) worst = std::max(worst, std::abs(x[i] - r[theirs[i]]));
  return worst / r.cwiseAbs().maxCoeff();
}

void race(const std::string& folder, const Case& c) {
  const std::string urdf = folder + "/" + c.robot + ".urdf";
  sparsedyn::LoadOptions load;
  load.floating = true, load.snap = 0;
  const Model model = sparsedyn::load_urdf(urdf, load);
  Vector q(static_cast<std::size_t>(model.nq));
  neutral(model, q.data());
  for (std::size_t i = 7; i < q.size(); ++i) q[i] = 0.2 + 0.05 * static_cast<double>(i % 5);
  const sparsedyn::ConstraintSet set = closed_at(model, c.loops, q);
  const std::vector<State> states = states_on(model, set, q);
  if (static_cast<int>(states.size()) < sample_count)
    throw std::runtime_error(std::string(c.title) + ": too few closed states");
  Peer peer(urdf, model, set);
  std::vector<Eigen::VectorXd> pq, pv, pt;
  for (const State& s : states)
    pq.push_back(peer.robot.coordinates(model, s.q)), pv.push_back(peer.robot.permuted(s.v)),
        pt.push_back(peer.robot.permuted(s.tau));
  sparsedyn::ConstrainedDynamics dynamics(model, set);
  Generated generated(model, set);
  Vector a(static_cast<std::size_t>(model.nv)), lambda(dynamics.force_columns().size());
  const auto by_iteration = [&](int s) {
    const State& x = states[static_cast<std::size_t>(s)];
    if (!dynamics.forward(x.q.data(), x.v.data(), x.tau.data(), nullptr, a.data(), lambda.data(), nullptr).ok())
      throw std::runtime_error(std::string(c.title) + ": not settled");
  };
  // one step without regularisation, the fastest it has; and what its documentation proposes for redundant rows
  pinocchio::ProximalSettings exact(1e-12, 0, 1), proximal(1e-10, 1e-8, 10);
  const auto theirs = [&](int s, pinocchio::ProximalSettings& settings) -> const Eigen::VectorXd& {
    const auto k = static_cast<std::size_t>(s);
    return peer.solve(pq[k], pv[k], pt[k], settings);
  };
  double by_steps = 0, by_program = 0;
  for (int s = 0; s < sample_count; ++s) {
    const Eigen::VectorXd r = theirs(s, exact);
    by_iteration(s), generated.run(states[static_cast<std::size_t>(s)]);
    by_steps = std::max(by_steps, apart(r, a, peer.robot.theirs));
    by_program = std::max(by_program, apart(r, generated.a, peer.robot.theirs));
  }
  const Vector ns = raced({[&](int s) { theirs(s, exact); }, [&](int s) { theirs(s, proximal); }, by_iteration,
                           [&](int s) { generated.run(states[static_cast<std::size_t>(s)]); }});
  std::printf(
      "%-16s %-24s %6.0f %6.0f  ConstrainedDynamics %6.0f (%.2f, %.0e apart)  program %6.0f (%.2f, %.0e apart; %ld flops, "
      "%s)\n",
      c.robot, c.title, ns[0], ns[1], ns[2], ns[2] / std::min(ns[0], ns[1]), by_steps, ns[3], ns[3] / std::min(ns[0], ns[1]),
      by_program, generated.flops, generated.what.c_str());
  std::fflush(stdout);
}

}  // namespace
}  // namespace peers

int main(int count, char** arguments) {
  if (count != 2) return std::fprintf(stderr, "usage: bench_loops FOLDER\n"), 2;
  std::printf("ns a call: Pinocchio's constraintDynamics, one step and proximal; ours, as a share of its faster one\n");
  for (const peers::Case& c : peers::cases) peers::race(arguments[1], c);
}
