#include "varied_robots.hpp"

#include <numeric>

#include "sparsedyn/dynamics/regressor.hpp"
#include "sparsedyn/model/coordinate_map.hpp"
#include "support/evaluated.hpp"
#include "support/robots.hpp"

namespace sparsedyn::test {

Model robot_with(const Model& robot, const Numbers& pi) {
  Model tree = robot.tree();
  const ParameterIndex index(tree);
  for (std::size_t j = 0; j < tree.joints.size(); ++j) {
    const Joint& joint = tree.joints[j];
    const double* const p = pi.data() + 10 * j;
    const double trace = (p[4] + p[6] + p[9]) / 2;
    const Inertia<double> link{p[0], {{p[1], p[2], p[3]}}, {trace - p[4], -p[5], -p[7], trace - p[6], -p[8], trace - p[9]}};
    const auto body = static_cast<std::size_t>(joint.first_body + joint.bodies - 1);
    tree.bodies[body].inertia = to_parent(tree.links[static_cast<std::size_t>(joint.child_link)].pose, link);
    if (index.of_joints[j] < 0) continue;
    const double* const own = pi.data() + index.of_joints[j];
    JointPhysics physics = physics_of(tree, joint.v);
    physics.armature = own[0], physics.damping = own[1], physics.friction = own[2], physics.offset = own[3];
    if (physics.stiffness) physics.stiffness = own[4];
    set_joint_physics(tree, joint.name, physics);
  }
  return robot.coordinate_map ? coupled(tree, robot.coordinate_map->couplings) : tree;
}

ParameterInputs inputs_of(const Model& robot, const std::vector<int>& columns) {
  ParameterInputs inputs{columns, {}, {}};
  const Numbers nominal = parameters(robot);
  for (int k : columns) inputs.nominal.push_back(nominal[static_cast<std::size_t>(k)]);
  return inputs;
}

std::vector<int> all_columns(const Model& robot) {
  std::vector<int> columns(parameter_names(robot).size());
  std::iota(columns.begin(), columns.end(), 0);
  return columns;
}

Numbers drawn(const Model& robot, unsigned seed) {
  std::mt19937 rng(seed);
  std::uniform_real_distribution<double> heavier(0.5, 2.0), little(-0.02, 0.02);
  Numbers pi = parameters(robot);
  const std::size_t bodies = robot.joints.size();
  for (std::size_t j = 0; j < bodies; ++j) {
    double* const p = pi.data() + 10 * j;
    const double factor = heavier(rng), size = p[4] + p[6] + p[9];
    for (int k = 0; k < 10; ++k) p[k] = factor * (p[k] + (k > 3 ? little(rng) * size : 0.0));
  }
  for (std::size_t k = 10 * bodies; k < pi.size(); ++k) pi[k] = heavier(rng) * (pi[k] + 0.1);
  return pi;
}

Numbers with_columns(const Model& robot, const std::vector<int>& columns, const Numbers& pi) {
  Numbers x = parameters(robot);
  for (int k : columns) x[static_cast<std::size_t>(k)] = pi[static_cast<std::size_t>(k)];
  return x;
}

Numbers picked(const Numbers& pi, const std::vector<int>& columns) {
  Numbers x;
  for (int k : columns) x.push_back(pi[static_cast<std::size_t>(k)]);
  return x;
}

std::vector<Numbers> run(const Program& program, const State& s, const Numbers& pi) {
  return evaluated(program, {{"q", s.q.data()},
                             {"dq", s.v.data()},
                             {"ddq", s.a.data()},
                             {"tau", s.tau.data()},
                             {"lambda", s.tau.data()},
                             {"pi", pi.data()}});
}

ByName library_values(const Algorithm& algorithm, const Model& model, const State& s) {
  AlgorithmData<double> data(model);
  std::vector<Numbers> values;
  std::vector<double*> out;
  for (const AlgorithmOutput& output : algorithm.outputs) values.emplace_back(static_cast<std::size_t>(output.size(model)));
  for (Numbers& each : values) out.push_back(each.data());
  algorithm.evaluate(data, {s.q.data(), s.v.data(), s.a.data(), s.tau.data(), s.tau.data(), nullptr}, out.data());
  ByName named;
  for (const AlgorithmColumn& column : algorithm.columns(model))
    named[column.name] = values[static_cast<std::size_t>(column.output)][static_cast<std::size_t>(column.entry)];
  return named;
}

bool by_parameters(const Port& port) { return port.name.find("_dpi") != std::string::npos; }

Model tree_of_hinges(bool floating) {
  TreeOptions options;
  options.floating = floating;
  return with_joint_physics(random_tree(3, 3, options), 5);
}

namespace {

/// A spring at the first joint that can have one.
Model with_spring(Model model) {
  for (const Joint& joint : model.joints)
    if (joint.nv == 1) {
      JointPhysics physics = physics_of(model, joint.v);
      physics.stiffness = 3.0;
      set_joint_physics(model, joint.name, physics);
      break;
    }
  return model;
}

}  // namespace

Model tree_of_every_kind(bool floating) {
  TreeOptions options;
  options.floating = floating, options.kinds = every_joint_kind();
  return with_spring(with_joint_physics(random_tree(static_cast<int>(options.kinds.size()) / 2, floating ? 7 : 8, options), 6));
}

}  // namespace sparsedyn::test
