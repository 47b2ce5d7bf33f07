#include "varying_robot.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

#include "codegen/minimal/recorded_tree.hpp"
#include "model/change_tree.hpp"
#include "sparsedyn/dynamics/regressor.hpp"
#include "sparsedyn/model/detail/robot_numbers.hpp"
#include "sparsedyn/spatial/detail/component.hpp"
#include "system/sensors/spatial_rows.hpp"

namespace sparsedyn {
namespace {

bool same(const Inertia<double>& a, const Inertia<double>& b) { return detail::ten_numbers(a) == detail::ten_numbers(b); }

/// Sizes of the parameters: of ten numbers of a body those of its mass and radius of gyration, of a joint's their own. Nothing
/// at all counts as 1 kg, 0.1 m, or 1.
std::vector<double> sizes(const std::vector<double>& pi, std::size_t bodies) {
  std::vector<double> size;
  for (std::size_t b = 0; b < bodies; ++b) {
    const double* const x = pi.data() + 10 * b;
    const double m = x[0] > 0 ? x[0] : 1.0, trace = 0.5 * (x[4] + x[6] + x[9]), r = trace > 0 ? std::sqrt(trace / m) : 0.1;
    for (int k = 0; k < 10; ++k) size.push_back(k == 0 ? m : k < 4 ? m * r : m * r * r);
  }
  for (std::size_t k = size.size(); k < pi.size(); ++k) size.push_back(pi[k] != 0 ? std::fabs(pi[k]) : 1.0);
  return size;
}

/// Numbers near the parameters, none of them zero or equal to another.
std::vector<double> examples(const std::vector<double>& pi, std::size_t bodies) {
  const std::vector<double> size = sizes(pi, bodies);
  std::mt19937 rng(1);
  std::uniform_real_distribution<double> few(0.02, 0.08);
  std::vector<double> x;
  for (std::size_t k = 0; k < pi.size(); ++k) x.push_back(pi[k] + few(rng) * size[k]);
  return x;
}

void stand_for(double number, const Expr& value) { Recording::stands_for(number, value.ref()); }

/// The joint's numbers in the order of the parameters.
std::vector<double*> numbers_of(JointPhysics& p) {
  std::vector<double*> x{&p.armature, &p.damping, &p.friction, &p.offset};
  if (p.stiffness) x.push_back(&*p.stiffness);
  return x;
}

/// Places of parameters, each once; a value for each of those that are inputs.
void check(const ParameterInputs& inputs, std::size_t count) {
  const auto places = [&](std::vector<int> columns) {
    std::sort(columns.begin(), columns.end());
    return std::adjacent_find(columns.begin(), columns.end()) == columns.end() &&
           (columns.empty() || (columns.front() >= 0 && columns.back() < static_cast<int>(count)));
  };
  if (!places(inputs.columns) || !places(inputs.absent))
    throw std::invalid_argument("ParameterInputs: columns and absent are places among the " + std::to_string(count) +
                                " parameter_names of the robot, each once");
  if (inputs.nominal.size() != inputs.columns.size())
    throw std::invalid_argument("ParameterInputs: " + std::to_string(inputs.nominal.size()) + " nominal values for " +
                                std::to_string(inputs.columns.size()) + " columns");
}

}  // namespace

VaryingRobot::VaryingRobot(const Model& robot, const ParameterInputs& inputs) : model_(robot), inputs_(inputs) {
  const std::vector<std::string> all = parameter_names(robot);
  check(inputs, all.size());
  std::vector<double> nominal = parameters(robot);
  std::vector<int> element(all.size(), -1);
  for (int column : inputs.absent) nominal[static_cast<std::size_t>(column)] = 0;
  for (std::size_t k = 0; k < inputs.columns.size(); ++k) {
    const auto column = static_cast<std::size_t>(inputs.columns[k]);
    element[column] = static_cast<int>(k), nominal[column] = inputs.nominal[k];
    names_.push_back("pi." + all[column]);
  }
  const std::vector<double> example = examples(nominal, robot.joints.size());
  const auto change = [&](Model& tree) { vary(tree, nominal, example, element); };
  if (!model_.coordinate_map) {
    change(model_);
    return;
  }
  change_tree(model_, change);
  for (std::size_t b = 0; b < model_.bodies.size(); ++b) model_.bodies[b].inertia = model_.tree().bodies[b].inertia;
}

Inertia<Expr> VaryingRobot::in_link(const VaryingBody& body, const std::vector<Expr>& pi) {
  Expr ten[10];
  for (std::size_t k = 0; k < 10; ++k)
    ten[k] = body.element[k] < 0 ? Expr(body.constant[k]) : pi[static_cast<std::size_t>(body.element[k])];
  return detail::inertia_of(ten);
}

void VaryingRobot::vary(Model& tree, const std::vector<double>& nominal, const std::vector<double>& example,
                        const std::vector<int>& element) {
  const ParameterIndex index(tree);
  const std::vector<double> own = parameters(tree);
  for (std::size_t j = 0; j < tree.joints.size(); ++j) {
    const Joint& joint = tree.joints[j];
    VaryingBody body{{}, tree.links[static_cast<std::size_t>(joint.child_link)].pose, {}, {}};
    bool changes = false, varies = false;
    std::array<double, 10> ten;
    for (std::size_t k = 0; k < 10; ++k) {
      body.element[k] = element[10 * j + k], body.constant[k] = nominal[10 * j + k];
      varies = varies || body.element[k] >= 0;
      changes = changes || body.element[k] >= 0 || own[10 * j + k] != nominal[10 * j + k];
      ten[k] = body.element[k] >= 0 ? example[10 * j + k] : body.constant[k];
    }
    if (!changes) continue;
    Inertia<double>& inertia = tree.bodies[detail::last_body(joint)].inertia;
    inertia = body.inertia = to_parent(body.link, detail::inertia_of(ten.data()));
    if (varies) bodies_.push_back(body);
  }
  for (std::size_t j = 0; j < tree.joints.size(); ++j)
    for (int k = 0; k < index.counts[j]; ++k) {
      const auto at = static_cast<std::size_t>(index.of_joints[j] + k);
      if (element[at] < 0) continue;
      tree.physics.resize(static_cast<std::size_t>(tree.nv));
      *numbers_of(tree.physics[static_cast<std::size_t>(tree.joints[j].v)])[static_cast<std::size_t>(k)] = example[at];
      joints_.push_back({example[at], element[at]});
    }
}

const VaryingRobot::VaryingBody* VaryingRobot::known(const Inertia<double>& in_body_frame) const {
  const auto found =
      std::find_if(bodies_.begin(), bodies_.end(), [&](const VaryingBody& each) { return same(each.inertia, in_body_frame); });
  return found == bodies_.end() ? nullptr : &*found;
}

void VaryingRobot::declare(Recorder& recorder, const Model& recorded, int others) const {
  const std::vector<Expr> pi = recorder.parameters(others, "pi", names_, inputs_.nominal, inputs_.columns);
  recorder.vary();
  for (const Body& each : recorded.tree().bodies)
    if (const VaryingBody* const body = known(each.inertia))
      for_each_number(each.inertia, to_parent(body->link, in_link(*body, pi)), stand_for);
  for (const VaryingNumber& x : joints_) Recording::stands_for(x.number, pi[static_cast<std::size_t>(x.element)].ref());
}

void VaryingRobot::declare(Recorder& recorder, const System& system, int others) const {
  if (system.formulation().axis_frames())
    throw std::invalid_argument("parameters are constants in the formulation " + formulation_name(system.formulation()));
  if (parameters(system.model()) != parameters(model_))
    throw std::invalid_argument(
        "the system's robot has numbers of its own where parameters are inputs; expected system_with_inputs of these "
        "parameters");
  declare(recorder, system.model(), others);
  const std::vector<Expr> pi = recorder.parameters();
  const std::vector<Body>& bodies = system.model().tree().bodies;
  for (std::size_t b = 0; b < bodies.size(); ++b)
    if (const VaryingBody* const body = known(bodies[b].inertia))
      for_each_number(system.terms()[b].inertia, in_link(*body, pi), stand_for);
}

void declare_parameters(Recorder& recorder, const RobotParameters& parameters, const System& system, int others) {
  if (parameters.empty() && system.stands_for_inputs())
    throw std::invalid_argument("the system is one of system_with_inputs; expected the parameters that it was made for");
  if (!parameters.empty()) VaryingRobot(*parameters.robot, parameters.inputs).declare(recorder, system, others);
}

void assemble_parameters(const System& system, Expr* values) {
  const Pattern& pattern = system.pattern();
  const auto set = [&](int row, int column, const Expr& x) {
    const auto begin = pattern.column.begin() + pattern.row_start[row],
               end = pattern.column.begin() + pattern.row_start[row + 1];
    const auto at = std::lower_bound(begin, end, column);
    if (at != end && *at == column)
      values[at - pattern.column.begin()] = x;
    else if (x.ref().node != Expr(0.0).ref().node)
      throw std::logic_error("an entry that parameters change is not in the pattern");
  };
  if (system.formulation().joint_space) return;  // M is assembled at each state
  for (const BodyTerms& t : system.terms()) {
    if (varies<Expr>(t.inertia)) {
      const Inertia<Expr> I = inertia_in<Expr>(t.inertia);
      for (int c = 0; c < 6; ++c) {
        const Force<Expr> wrench = I * cast<Expr>(sensors::unit_motion(c));
        for (int r = 0; r < 6; ++r) set(t.inertial + r, t.acc + c, -component(wrench, r));
      }
    }
    for (int k = 0; k < freedoms(t.joint.joint); ++k)
      if (const double armature = armature_of(system.model().tree(), t.joint.v + k); RobotNumbers<Expr>::varies(armature))
        set(t.torque + k, t.ddq + k, Expr(-t.multiplier) * RobotNumbers<Expr>::of(armature));
  }
}

System system_with_inputs(const RobotParameters& parameters, const SensorSet& set, const Formulation& formulation) {
  if (!parameters.robot) throw std::invalid_argument("RobotParameters: no robot; expected one");
  const RobotNumbersOf numbers = parameters.empty() ? RobotNumbersOf::robot : RobotNumbersOf::examples;
  return System(VaryingRobot(*parameters.robot, parameters.inputs).model(), set, formulation, numbers);
}

}  // namespace sparsedyn
