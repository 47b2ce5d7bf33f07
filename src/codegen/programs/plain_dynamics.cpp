#include <algorithm>
#include <optional>
#include <stdexcept>

#include "codegen/minimal/minimal_dynamics.hpp"
#include "codegen/minimal/minimal_elimination.hpp"
#include "codegen/minimal/minimal_formulation.hpp"
#include "codegen/minimal/recorded_tree.hpp"
#include "io/text/begins.hpp"
#include "sensor_ports.hpp"
#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/dynamics/detail/joint_torques.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/runtime/outputs.hpp"
#include "varying_robot.hpp"

namespace sparsedyn {
namespace {

enum class Given { neither, accelerations, torques };

bool has_armature(const Model& model) {
  return std::any_of(model.physics.begin(), model.physics.end(), [](const JointPhysics& p) { return p.armature != 0; });
}

bool all_exact(const Measurement& m) {
  return std::all_of(m.sigma.begin(), m.sigma.end(), [](double sigma) { return !(sigma > 0); });
}

/// What the set states of every joint, if that and all wrenches is all it states, exactly and once.
Given given(const System& system) {
  if (system.model().coordinate_map || !system.closures().empty()) return Given::neither;
  std::vector<int> tau(static_cast<std::size_t>(system.model().nv), 0), ddq = tau;
  int wrenches = 0;
  for (const Measurement& m : system.measurements()) {
    if (!all_exact(m)) return Given::neither;
    if (m.kind == SensorKind::external_wrench) {
      wrenches += m.rows();
    } else if (m.kind == SensorKind::joint_torque || m.kind == SensorKind::joint_acceleration) {
      for (int k : m.components) ++(m.kind == SensorKind::joint_torque ? tau : ddq)[system.model().joints[m.joint].v + k];
    } else {
      return Given::neither;
    }
  }
  int unknown_wrenches = 0;
  for (const Variable& x : system.unknowns()) unknown_wrenches += x.kind == VariableKind::fx;
  if (wrenches != unknown_wrenches || system.pattern().rows != system.pattern().columns) return Given::neither;
  const auto each_once = [](const std::vector<int>& n) {
    return std::all_of(n.begin(), n.end(), [](int k) { return k == 1; });
  };
  return each_once(ddq) ? Given::accelerations : each_once(tau) ? Given::torques : Given::neither;
}

/// The readings of all joints, by entry of v.
std::vector<Expr> joint_readings(const System& system, const std::vector<Expr>& y) {
  std::vector<Expr> x(static_cast<std::size_t>(system.model().nv));
  for (const Measurement& m : system.measurements())
    if (m.kind != SensorKind::external_wrench)
      for (std::size_t k = 0; k < m.components.size(); ++k)
        x[system.model().joints[m.joint].v + m.components[k]] = m.reading(static_cast<int>(k), y.data());
  return x;
}

/// The wrench on each body, in the Model's frame of it, or in that of the minimal tree.
std::vector<Force<Expr>> body_wrenches(const System& system, const MinimalTree* tree, const std::vector<Expr>& y) {
  std::vector<Force<Expr>> fx(system.model().bodies.size(), {zero3<Expr>(), zero3<Expr>()});
  for (const Measurement& m : system.measurements()) {
    if (m.kind != SensorKind::external_wrench) continue;
    const Link& link = system.model().links[m.link];
    if (link.body < 0) continue;
    const Pose<double> pose = tree ? tree->bodies[link.body].body_frame * link.pose : link.pose;
    fx[link.body] = fx[link.body] + to_parent(pose, known_wrench(m, y.data()));
  }
  return fx;
}

/// Whether a wrench is an input of the program or a constant other than zero.
bool has_wrenches(const System& system, const ReadInputs& read) {
  for (const Measurement& m : system.measurements()) {
    if (m.kind != SensorKind::external_wrench) continue;
    for (std::size_t k = 0; k < m.components.size(); ++k) {
      const int input = m.inputs[k];
      if (input < 0 ? m.values[k] != 0 : read[input] || system.inputs()[input].fallback != 0) return true;
    }
  }
  return false;
}

/// Torques or accelerations from the others, `known`.
std::vector<Expr> minimal_dynamics(const System& system, const Model& model, const MinimalFormulation& f, bool inverse,
                                   const SensorInputs& in, const std::vector<Expr>& known) {
  const MinimalTree tree = recorded_tree(model, f.tree);
  const std::vector<Force<Expr>> fx = body_wrenches(system, &tree, in.y);
  std::vector<Expr> found(known.size());
  if (inverse) {
    found = minimal_rnea(tree, in.q.data(), in.v.data(), known.data(), fx.data());
    add_joint_torques(model, in.q.data(), in.v.data(), known.data(), found.data());
    return found;
  }
  const Expr* const driving = without_joint_torques(model, in.q.data(), in.v.data(), known.data(), found.data());
  return minimal_forward_dynamics(tree, f.eliminate, in.q.data(), in.v.data(), driving, fx.data());
}
std::vector<Expr> model_dynamics(const System& system, const Model& model, bool inverse, const SensorInputs& in,
                                 const std::vector<Expr>& known) {
  const std::vector<Force<Expr>> fx = body_wrenches(system, nullptr, in.y);
  std::vector<Expr> found(known.size());
  Workspace<Expr> work(model);
  if (inverse)
    rnea(model, work, in.q.data(), in.v.data(), known.data(), fx.data(), found.data());
  else
    aba(model, work, in.q.data(), in.v.data(), known.data(), fx.data(), found.data());
  return found;
}

/// model: that of the system, or one whose parameters are inputs.
void record(Recorder& recorder, const System& system, const Model& model, const std::vector<std::string>& outputs,
            const ReadInputs& read, const MinimalFormulation& f) {
  const SensorInputs in = sensor_inputs(recorder, system, read);
  const std::vector<Expr> known = joint_readings(system, in.y);
  const bool inverse = given(system) == Given::accelerations;
  const std::vector<Expr> found = is_minimal(model, f) ? minimal_dynamics(system, model, f, inverse, in, known)
                                                       : model_dynamics(system, model, inverse, in, known);
  const std::vector<std::string> columns = Outputs(system, outputs).columns(),
                                 names = inverse ? prefixed("tau.", force_names(system.model()))
                                                 : prefixed("ddq.", velocity_names(system.model()));
  std::vector<Expr> values;
  for (const std::string& column : columns)
    values.push_back(found[static_cast<std::size_t>(std::find(names.begin(), names.end(), column) - names.begin())]);
  output_by_kind(recorder, columns, values);
}

}  // namespace

bool is_plain_dynamics(const System& system, const std::vector<std::string>& outputs) {
  const Given known = given(system);
  if (known == Given::neither || !has_minimal_tree(system.model())) return false;
  if (known == Given::torques && has_armature(system.model())) return false;  // the plan's order does it, with fewer operations
  const std::vector<std::string> columns = Outputs(system, outputs).columns();
  return std::all_of(columns.begin(), columns.end(), [&](const std::string& column) {
    return begins(column, known == Given::accelerations ? "tau." : "ddq.");
  });
}

Program plain_dynamics_program(const System& system, const std::vector<std::string>& outputs, const ReadInputs& read,
                               const ParameterInputs& parameters) {
  if (!is_plain_dynamics(system, outputs)) throw std::invalid_argument("more than inverse or forward dynamics is asked for");
  constexpr int kOthers = 3;  // q, dq, y
  const std::optional<VaryingRobot> varying = parameters.empty()
                                                  ? std::optional<VaryingRobot>()
                                                  : std::optional<VaryingRobot>(std::in_place, system.model(), parameters);
  const Model& robot = varying ? varying->model() : system.model();
  const bool wrenches = has_wrenches(system, read), forward = given(system) == Given::torques;
  const auto recorded = [&](Recorder& recorder, const Model& model, const MinimalFormulation& f) {
    if (varying) varying->declare(recorder, model, kOthers);
    record(recorder, system, model, outputs, read, f);
  };
  if (forward && has_armature(robot)) {  // minimal eliminations do not know rotors
    MinimalFormulation templates;
    templates.minimal = false;
    return program_in(robot, templates, recorded);
  }
  const Choices choices{!wrenches, forward, !wrenches, varying.has_value()};
  return program_in(robot, cheapest_formulation(robot, choices, recorded), recorded);
}

}  // namespace sparsedyn
