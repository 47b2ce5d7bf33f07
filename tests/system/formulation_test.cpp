// Every formulation gives the answers of the recursive algorithms.
#include "sparsedyn/system/formulation.hpp"

#include <Eigen/Dense>
#include <catch2/catch.hpp>
#include <memory>

#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/runtime/make_solver.hpp"
#include "sparsedyn/runtime/outputs.hpp"
#include "sparsedyn/runtime/solver.hpp"
#include "support/robots.hpp"
#include "support/states.hpp"
#include "support/systems.hpp"
#include "system/unit_entries.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

/// The first joints' accelerations and the others' torques given.
SensorSet hybrid_set(const Model& model) {
  SensorSet set = inverse_dynamics_set();
  SensorSet forward = forward_dynamics_set();
  for (Sensor& s : set.sensors) s.name += "-known";
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    if (model.joints[j].name == "base") continue;
    for (SensorSet* of : {&set, &forward})
      if ((of == &set) != (j % 2 == 0))
        for (Sensor& s : of->sensors)
          if (s.type.rfind("joint", 0) == 0 && s.all) s.except.push_back({model.joints[j].name, 0});
  }
  for (const Sensor& s : forward.sensors)
    if (s.type == "joint_torque" && s.all) set.sensors.push_back(s);
  return set;
}

/// A state with accelerations (state.a), link wrenches, and the torques that go with them.
struct Motions {
  State state;
  std::vector<double> tau;
  std::vector<Force<double>> wrenches;
  std::vector<Motion<double>> acceleration;  // of each link, in its frame, proper
};

Motions motion_of(const Model& model, std::mt19937& rng) {
  Motions m;
  m.state = random_state(model, rng);
  Workspace<double> ws(model);
  m.tau.resize(model.nv);
  for (std::size_t l = 0; l < model.links.size(); ++l) m.wrenches.push_back({random_vector(rng), random_vector(rng)});
  std::vector<Force<double>> on_bodies(model.bodies.size());
  link_wrenches_to_bodies(model, m.wrenches.data(), on_bodies.data());
  rnea(model, ws, m.state.q.data(), m.state.v.data(), m.state.a.data(), on_bodies.data(), m.tau.data());
  forward_kinematics(model, ws, m.state.q.data(), m.state.v.data(), m.state.a.data());
  for (const Link& link : model.links)
    m.acceleration.push_back(link.body < 0 ? Motion<double>{zero3<double>(), -model.gravity}
                                           : to_child(link.pose, ws.acceleration[link.body]));
  return m;
}

std::vector<double> readings(const System& system, const Motions& m) {
  std::vector<double> y;
  for (const Input& input : system.inputs()) {
    const Measurement& of = system.measurements()[input.measurement];
    const int c = of.components[input.component];
    if (of.kind == SensorKind::external_wrench)
      y.push_back(c < 3 ? m.wrenches[of.link].n[c] : m.wrenches[of.link].f[c - 3]);
    else
      y.push_back((of.kind == SensorKind::joint_torque ? m.tau : m.state.a)[system.model().joints[of.joint].v + c]);
  }
  return y;
}

/// What a column of the log stands for.
double truth(const Model& model, const Motions& m, const std::string& column) {
  const auto forces = force_names(model), velocities = velocity_names(model);
  for (int k = 0; k < model.nv; ++k) {
    if (column == "tau." + forces[k]) return m.tau[k];
    if (column == "ddq." + velocities[k]) return m.state.a[k];
  }
  const char* const suffixes[] = {"wx", "wy", "wz", "vx", "vy", "vz"};
  for (std::size_t l = 0; l < model.links.size(); ++l)
    for (int k = 0; k < 6; ++k)
      if (column == "acc." + model.links[l].name + "." + suffixes[k])
        return k < 3 ? m.acceleration[l].w[k] : m.acceleration[l].v[k - 3];
  FAIL("no truth for " + column);
  return 0;
}

std::vector<std::string> outputs_of(const Model& model, const Formulation& formulation) {
  std::vector<std::string> outputs{"tau", "ddq"};
  if (!formulation.joint_space)
    for (const Link& link : model.links) outputs.push_back("acc." + link.name);
  return outputs;
}

void compare(const Model& model, const SensorSet& set, const Formulation& formulation, unsigned seed) {
  const auto system = std::make_shared<const System>(model, set, formulation);
  const auto order = recursive_order(*system);
  REQUIRE(order);
  const auto plan = std::make_shared<const Plan>(make_plan(system->pattern(), *order, unit_entries(*system)));
  SolverOptions options;
  options.outputs = outputs_of(model, formulation);
  Solver solver(system, plan, options);
  std::mt19937 rng(seed);
  for (int k = 0; k < 4; ++k) {
    const Motions m = motion_of(model, rng);
    const std::vector<double> y = readings(*system, m);
    std::vector<double> out(solver.output_columns().size()), expected;
    REQUIRE(solver.solve(m.state.q.data(), m.state.v.data(), y.data(), out.data()).ok());
    for (const std::string& column : solver.output_columns()) expected.push_back(truth(model, m, column));
    CHECK(norm_error(out, expected) < 1e-10);
  }
}

Sensor sensor_on(const std::string& type, const std::string& target, std::vector<std::string> components = {}) {
  Sensor s;
  s.name = type + "-" + target, s.type = type, s.components = std::move(components);
  if (target == "*")
    s.all = true;
  else
    s.targets = {{target, 0}};
  return s;
}

/// Square sets with sensors of motion and force inside the robot, whose last link bears an unknown wrench.
std::vector<SensorSet> sets_with_sensors(const Model& model) {
  const std::string tip = model.links.back().name, joint = model.joints.back().name;
  const Pose<double> aside{rotation_from_rpy({{0.3, -0.2, 0.5}}), {{0.1, 0.2, -0.1}}};
  Sensor air = sensor_on("external_wrench", "*");
  air.except = {{tip, 0}};
  std::vector<SensorSet> sets(3);
  Sensor wrist = sensor_on("force_torque", joint);
  wrist.frame = aside, wrist.framed = true;
  sets[0].sensors = {air, sensor_on("joint_acceleration", "*"), wrist};
  Sensor foot = sensor_on("contact", tip), slippery = sensor_on("external_wrench", tip, {"nx", "ny", "nz"});
  foot.frame = slippery.frame = aside, foot.framed = slippery.framed = true;
  sets[1].sensors = {air, sensor_on("joint_torque", "*"), foot, slippery};
  Sensor imu = sensor_on("accelerometer", tip, {"x"}), rest = sensor_on("joint_acceleration", "*"),
         load = sensor_on("external_wrench", tip);
  imu.frame = load.frame = aside, imu.framed = load.framed = true;
  rest.except = {{model.joints.front().name, 0}};
  sets[2].sensors = {air, rest, imu, load};
  return sets;
}

/// Outputs at one state, by a dense solution.
std::vector<double> dense_outputs(const System& system, const State& s, const std::vector<double>& y,
                                  const std::vector<std::string>& outputs) {
  const Pattern& pattern = system.pattern();
  REQUIRE(pattern.rows == pattern.columns);
  SystemWorkspace<double> work(system);
  std::vector<double> values(pattern.entries());
  Eigen::VectorXd b(pattern.rows);
  system.assemble(s.q.data(), s.v.data(), y.data(), values.data(), b.data(), work);
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(pattern.rows, pattern.columns);
  for (int r = 0; r < pattern.rows; ++r)
    for (int e = pattern.row_start[r]; e < pattern.row_start[r + 1]; ++e) A(r, pattern.column[e]) = values[e];
  Eigen::VectorXd x = A.fullPivLu().solve(b);
  system.unshift(x.data(), work);
  const Outputs wanted(system, outputs);
  std::vector<double> out(wanted.columns().size());
  wanted.write(x.data(), y.data(), work, out.data());
  return out;
}

}  // namespace

TEST_CASE("Sensors of motion and force read the same in every formulation that has them") {
  int compared = 0;
  for (unsigned seed : {1u, 2u}) {
    const Model model = random_tree(6, seed, {false, true, 0.0, {JointKind::revolute}});
    std::mt19937 rng(seed);
    const State s = random_state(model, rng);
    for (const SensorSet& set : sets_with_sensors(model)) {
      const System plain(model, set);
      std::vector<double> y(plain.inputs().size());
      for (double& reading : y) reading = std::normal_distribution<double>()(rng);
      for (const Formulation& formulation : all_formulations()) try {
          const System system(model, set, formulation);
          std::vector<std::string> outputs{"tau", "ddq", "fx." + model.links.back().name, "acc." + model.links.back().name};
          if (!formulation.canonical) outputs.push_back("f." + model.joints.front().name);
          CAPTURE(formulation_name(formulation), seed);
          CHECK(norm_error(dense_outputs(system, s, y, outputs), dense_outputs(plain, s, y, outputs)) < 1e-9);
          ++compared;
        } catch (const FormulationMisfit&) {
          CHECK((formulation.joint_space || (formulation.canonical && set.sensors.back().type == "force_torque")));
        }
    }
  }
  CHECK(compared == 2 * (6 + 11 + 11));
}

TEST_CASE("Formulations agree with the recursive algorithms on inverse, forward and hybrid dynamics") {
  for (const Formulation& formulation : all_formulations())
    for (bool floating : {false, true})
      for (unsigned seed : {1u, 2u, 3u}) {
        CAPTURE(formulation_name(formulation), floating, seed);
        const Model model = random_tree(6, seed, {floating, true, 0.4});
        compare(model, inverse_dynamics_set(), formulation, seed);
        compare(model, forward_dynamics_set(), formulation, seed);
        compare(model, hybrid_set(model), formulation, seed);
      }
}

TEST_CASE("Formulations without axis frames hold every joint type") {
  for (const char* name : {"net-forces", "shifted", "maximal-coordinates", "net-forces+shifted+maximal-coordinates",
                           "joint-space", "net-forces+shifted"}) {
    INFO(name);
    const Model model = random_tree(6, 2, {true, true, 0.4, every_joint_kind()});
    compare(model, inverse_dynamics_set(), formulation_named(name), 1);
    compare(model, forward_dynamics_set(), formulation_named(name), 2);
  }
  const Model model = random_tree(3, 1, {false, true, 0.4, {JointKind::spherical}});
  CHECK_THROWS_AS(System(model, forward_dynamics_set(), formulation_named("canonical")), FormulationMisfit);
}

TEST_CASE("Joint space leaves no entry out on a long chain") {
  const Model model = random_tree(60, 1, {false, false, 0.0, {JointKind::revolute}});
  const System system(model, forward_dynamics_set(), formulation_named("joint-space"));
  const int first = system.pattern().row_start[0], last = system.pattern().row_start[model.nv];
  CHECK(last - first == model.nv * model.nv + model.nv);  // M in full, and one torque a row
}

TEST_CASE("formulations are read and written by name") {
  for (const Formulation& formulation : all_formulations())
    CHECK(formulation_name(formulation_named(formulation_name(formulation))) == formulation_name(formulation));
  CHECK(formulation_name({}) == "newton-euler");
  for (const char* wrong : {"", "newton", "shifted+canonical", "canonical+", "joint-space+shifted", "canonical+canonical",
                            "canonical+maximal-coordinates", "maximal-coordinates+joint-space"})
    CHECK_THROWS_AS(formulation_named(wrong), std::invalid_argument);
}
