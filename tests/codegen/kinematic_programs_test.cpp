// Programs of kinematics, Jacobians, energy and bias forces against the algorithms, for every joint type, coupled ones too.
#include <catch2/catch.hpp>
#include <map>

#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/dynamics/jacobians.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/dynamics/momentum.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "support/coupled.hpp"
#include "support/robots.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

using Columns = std::map<std::string, double>;

Columns columns_at(const Model& model, const std::string& algorithm, const State& s) {
  const Program program = algorithm_program(model, algorithm);
  const std::map<std::string, const double*> given{{"q", s.q.data()}, {"dq", s.v.data()}, {"ddq", s.a.data()}};
  std::vector<const double*> arg;
  for (const Port& port : program.inputs()) arg.push_back(given.at(port.name));
  std::vector<std::vector<double>> out;
  for (const Port& port : program.outputs()) out.emplace_back(port.elements.size());
  std::vector<double*> res;
  for (auto& x : out) res.push_back(x.data());
  std::vector<double> work(program.nodes().size());
  REQUIRE(program.evaluate(arg.data(), res.data(), work.data()));
  Columns columns;
  for (std::size_t k = 0; k < out.size(); ++k)
    for (std::size_t e = 0; e < out[k].size(); ++e) columns[program.outputs()[k].elements[e]] = out[k][e];
  return columns;
}

void check_column(const Columns& found, const std::string& name, double expected) {
  INFO(name);
  REQUIRE(found.count(name) == 1);
  CHECK(std::abs(found.at(name) - expected) <= 1e-10 * std::max(1.0, std::abs(expected)));
}

void check_axes(const Columns& found, const std::string& before, const Vec3<double>& expected) {
  for (int k = 0; k < 3; ++k) check_column(found, before + "xyz"[k], expected[k]);
}

void check_link(const Model& model, const Workspace<double>& work, int link, const Columns& kinematics,
                const Columns& jacobians, const Columns& rates) {
  const std::string name = "." + model.links[static_cast<std::size_t>(link)].name + ".";
  const Pose<double> pose = link_pose(model, work, link);
  check_axes(kinematics, "pose" + name, pose.d);
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c)
      check_column(kinematics, "pose" + name + "R" + std::to_string(r) + std::to_string(c), pose.R(r, c));
  const Motion<double> v = link_velocity(model, work, link), a = link_acceleration(model, work, link);
  check_axes(kinematics, "vel" + name + "w", v.w), check_axes(kinematics, "vel" + name + "v", v.v);
  check_axes(kinematics, "acc" + name + "w", a.w), check_axes(kinematics, "acc" + name + "v", a.v);
  std::vector<double> J(static_cast<std::size_t>(6 * model.nv));
  std::vector<double> dJ(J.size());
  link_jacobian(model, work, link, Axes::link, J.data());
  point_jacobian_rate(model, work, link, Axes::link, zero3<double>(), dJ.data());
  for (std::size_t e = 0; e < J.size(); ++e) {
    const auto nv = static_cast<std::size_t>(model.nv);
    check_column(jacobians, "J" + name + std::to_string(e / nv) + "." + std::to_string(e % nv), J[e]);
    check_column(rates, "dJ" + name + std::to_string(e / nv) + "." + std::to_string(e % nv), dJ[e]);
  }
}

void check_programs_at(const Model& model, const State& s) {
  Workspace<double> work(model);
  const Columns energy = columns_at(model, "energy", s), bias = columns_at(model, "bias", s);
  const Columns kinematics = columns_at(model, "kinematics", s), jacobians = columns_at(model, "jacobians", s),
                rates = columns_at(model, "jacobian-rates", s);
  std::vector<double> tau(static_cast<std::size_t>(model.nv));
  bias_forces(model, work, s.q.data(), s.v.data(), static_cast<const Force<double>*>(nullptr), tau.data());
  const std::vector<std::string> names = force_names(model);
  for (std::size_t k = 0; k < names.size(); ++k) check_column(bias, "tau." + names[k], tau[k]);
  forward_kinematics(model, work, s.q.data(), s.v.data(), s.a.data());
  check_column(energy, "energy.kinetic", kinetic_energy(model, work, s.v.data()));
  check_column(energy, "energy.potential", potential_energy(model, work, s.q.data()));
  for (int link = 0; link < static_cast<int>(model.links.size()); ++link)
    check_link(model, work, link, kinematics, jacobians, rates);
}

}  // namespace

TEST_CASE("programs of kinematics, Jacobians, energy and bias forces equal the algorithms, for every joint type") {
  std::mt19937 rng(21);
  for (bool floating : {false, true}) {
    TreeOptions options;
    options.floating = floating, options.kinds = every_joint_kind();
    const Model model = with_joint_physics(random_tree(9, floating ? 5 : 4, options), 3);
    check_programs_at(model, random_state(model, rng));
  }
}

TEST_CASE("programs of kinematics of robots whose joints follow others equal the algorithms") {
  std::mt19937 rng(22);
  const CoupledRobot robot = random_coupled_robot(random_tree(8, 7), 2);
  check_programs_at(robot.model, random_state(robot.model, rng));
}
