// Joints may be numbered in any order that has parents first. Each algorithm finds the same numbers as on the same robot
// numbered depth first, in other places.
#include <catch2/catch.hpp>
#include <cstdio>
#include <map>
#include <numeric>

#include "dynamics/ltdl.hpp"
#include "reference/reference_derivatives.hpp"
#include "sparsedyn/codegen/program.hpp"
#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/dynamics/coriolis.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/dynamics/momentum.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/dynamics/second_derivatives.hpp"
#include "sparsedyn/jit/compiled_program.hpp"
#include "sparsedyn/runtime/make_solver.hpp"
#include "sparsedyn/runtime/solver.hpp"
#include "support.hpp"
#include "support/renumbered.hpp"
#include "support/systems.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

using Results = std::map<std::string, Indexed>;

/// Results that an algorithm writes, by name.
class Writer {
 public:
  Writer(Results& results, const Model& model) : results_(results), nv_(static_cast<std::size_t>(model.nv)) {}
  double* operator()(const std::string& name, const std::string& axes) {
    std::size_t size = 1;
    for (char axis : axes) size *= axis == 'v' ? nv_ : 6;
    Indexed& x = results_[name] = {axes, std::vector<double>(size, 7.0)};
    return x.values.data();
  }
  void vector(const std::string& name, const Force<double>& x) {
    double* to = (*this)(name, "6");
    for (int k = 0; k < 3; ++k) to[k] = x.n[k], to[3 + k] = x.f[k];
  }

 private:
  Results& results_;
  std::size_t nv_;
};

Results of_links(const Model& model, const State& s) {
  Results results;
  Writer write(results, model);
  Workspace<double> ws(model);
  forward_kinematics(model, ws, s.q.data(), s.v.data(), s.a.data());
  write.vector("momentum", momentum(model, ws));
  write.vector("momentum rate", momentum_rate(model, ws));
  *write("kinetic energy", "") = kinetic_energy(model, ws);
  *write("potential energy", "") = potential_energy(model, ws);
  for (int k = 0; k < static_cast<int>(model.links.size()); ++k) {
    const std::string name = " of " + model.links[k].name;
    const Motion<double> v = link_velocity(model, ws, k), a = link_acceleration(model, ws, k);
    write.vector("velocity" + name, {v.w, v.v}), write.vector("acceleration" + name, {a.w, a.v});
    link_jacobian(model, ws, k, Axes::link, write("Jacobian" + name, "6v"));
    link_jacobian(model, ws, k, Axes::world, write("world Jacobian" + name, "6v"));
    link_derivatives(
        model, ws, k,
        {write("dv_dq" + name, "6v"), write("dv_dv" + name, "6v"), write("da_dq" + name, "6v"), write("da_dv" + name, "6v")});
  }
  return results;
}

Results of_inverse_dynamics(const Model& model, const State& s, bool second) {
  Results results;
  Writer write(results, model);
  const double *q = s.q.data(), *v = s.v.data(), *a = s.a.data();
  const Force<double>* fx = s.fx.data();
  Workspace<double> ws(model);
  rnea(model, ws, q, v, a, fx, write("rnea", "v"));
  bias_forces(model, ws, q, v, fx, write("bias", "v"));
  gravity_torques(model, ws, q, write("gravity", "v"));
  crba(model, ws, q, write("crba", "vv"));
  CoriolisWorkspace<double> moving(model);
  coriolis(model, moving, q, v, CoriolisMatrices<double>{write("C", "vv"), write("M of C", "vv")});
  hamilton(model, moving, q, v, s.tau.data(), fx, write("p", "v"), write("dp", "v"));
  MomentWorkspace<double> moments(model);
  rnea_derivatives(model, moments, q, v, a, fx,
                   {write("tau", "v"), write("dtau_dq", "vv"), write("dtau_dv", "vv"), write("M", "vv")});
  ContractionWorkspace<double> contraction(model);
  rnea_contraction(model, contraction, q, v, a, fx, s.tau.data(),
                   {write("c qq", "vv"), write("c qv", "vv"), write("c vv", "vv"), write("c Mq", "vv")});
  if (!second) return results;
  SecondWorkspace<double> work(model);
  SecondDerivatives<double> tensors(model);
  rnea_second_derivatives(model, work, q, v, a, fx, tensors);
  tensors.dense({write("qq", "vvv"), write("qv", "vvv"), write("vv", "vvv"), write("Mq", "vvv")});
  return results;
}

Results of_forward_dynamics(const Model& model, const State& s, bool second) {
  Results results;
  Writer write(results, model);
  const double *q = s.q.data(), *v = s.v.data(), *tau = s.tau.data();
  const Force<double>* fx = s.fx.data();
  Workspace<double> ws(model);
  REQUIRE(aba(model, ws, q, v, tau, fx, write("aba", "v")).ok());
  REQUIRE(minverse(model, ws, q, write("minverse", "vv")).ok());
  DirectMinverseWorkspace<double> direct(model);
  REQUIRE(direct_minverse(model, direct, q, write("direct minverse", "vv")).ok());
  std::vector<double> LD(results["minverse"].values.size());
  crba(model, ws, q, LD.data());
  ltdl_factor(model.nv, ws.parent_freedom.data(), LD.data());
  std::copy(s.tau.begin(), s.tau.end(), write("ltdl solve", "v"));
  ltdl_solve(model.nv, ws.parent_freedom.data(), LD.data(), results["ltdl solve"].values.data());
  ltdl_product(model.nv, ws.parent_freedom.data(), LD.data(), tau, write("ltdl product", "v"));
  AbaDerivativeWorkspace<double> work(model);
  for (AbaDerivativeMethod method : {AbaDerivativeMethod::inertia, AbaDerivativeMethod::articulated}) {
    const std::string by = method == AbaDerivativeMethod::inertia ? " by inertia" : " by articulated bodies";
    REQUIRE(aba_derivatives(
                model, work, q, v, tau, fx,
                {write("a" + by, "v"), write("da_dq" + by, "vv"), write("da_dv" + by, "vv"), write("da_dtau" + by, "vv")},
                method)
                .ok());
  }
  const AbaDerivatives<double> first{write("a", "v"), write("da_dq", "vv"), write("da_dv", "vv"), write("da_dtau", "vv")};
  AbaContractionWorkspace<double> contraction(model);
  REQUIRE(aba_contraction(model, contraction, q, v, tau, fx, s.a.data(), first,
                          {write("c qq", "vv"), write("c qv", "vv"), write("c vv", "vv"), write("c qtau", "vv")})
              .ok());
  if (!second) return results;
  AbaSecondWorkspace<double> tensors(model);
  for (InnerTerm inner : {InnerTerm::tensor_product, InnerTerm::inverse_dynamics})
    for (OuterTerm outer : {OuterTerm::matrix_product, OuterTerm::articulated}) {
      const std::string by = " by " + std::to_string(static_cast<int>(inner)) + std::to_string(static_cast<int>(outer));
      REQUIRE(aba_second_derivatives(
                  model, tensors, q, v, tau, fx, first,
                  {write("qq" + by, "vvv"), write("qv" + by, "vvv"), write("vv" + by, "vvv"), write("qtau" + by, "vvv")},
                  {inner, outer})
                  .ok());
    }
  return results;
}

void check_equal(const Renumbered& robot, const Results& x, const Results& other, double tolerance) {
  REQUIRE(x.size() == other.size());
  for (const auto& [name, expected] : x) {
    INFO(name);
    CHECK(norm_error(other.at(name).values, in_numbers_of_other(robot, expected).values) < tolerance);
  }
}

/// What rounding in M is amplified by in forward dynamics.
double condition_of(const Model& model, const State& s) {
  Workspace<double> ws(model);
  std::vector<double> inverse(static_cast<std::size_t>(model.nv) * static_cast<std::size_t>(model.nv));
  REQUIRE(minverse(model, ws, s.q.data(), inverse.data()).ok());
  return std::max(1.0, 0.1 * condition(model, s, inverse));
}

/// Robots of 6 to 14 joints of every kind and numbering.
template <class Check>
void for_each_robot(unsigned seeds, Check&& check) {
  std::vector<JointKind> some = every_joint_kind(), hinges{JointKind::revolute, JointKind::prismatic, JointKind::fixed};
  some.push_back(JointKind::fixed);
  const std::vector<JointKind> leg{JointKind::revolute, JointKind::prismatic, JointKind::spherical};
  for (bool floating : {false, true})
    for (LinkOrder order : {LinkOrder::breadth_first, LinkOrder::any})
      for (unsigned seed = 0; seed < seeds; ++seed)
        for (int kinds = 0; kinds < 3; ++kinds) {
          INFO("floating " << floating << " order " << static_cast<int>(order) << " seed " << seed << " kinds " << kinds);
          const int joints = 6 + static_cast<int>((seed + 3 * static_cast<unsigned>(kinds)) % 9);
          const RenumberOptions options{floating, order, kinds == 2 ? 2 + static_cast<int>(seed % 3) : 0,
                                        kinds == 0   ? some
                                        : kinds == 1 ? hinges
                                                     : leg};
          const Renumbered robot = renumbered(joints, seed, options);
          if (robot.depth_first.nv == 0) continue;
          std::mt19937 rng(seed);
          check(robot, random_state(robot.depth_first, rng));
        }
}

/// A program's outputs; tensors with all their entries.
Results outputs_of(const Program& program, const Model& model, const std::vector<std::vector<double>>& values) {
  Results results;
  Writer write(results, model);
  for (std::size_t p = 0; p < values.size(); ++p) {
    const Port& port = program.outputs()[p];
    const bool tensor = port.name.find("d2") == 0 || port.name == "dM_dq", vector = port.name == "tau" || port.name == "ddq";
    double* to = write(port.name, tensor ? "vvv" : vector ? "v" : "vv");
    std::fill_n(to, results[port.name].values.size(), 0.0);
    for (std::size_t e = 0; e < port.elements.size(); ++e) {
      int i = 0, j = 0, k = 0;
      if (tensor) REQUIRE(std::sscanf(port.elements[e].c_str(), (port.name + ".%d.%d.%d").c_str(), &i, &j, &k) == 3);
      to[tensor ? static_cast<std::size_t>((i * model.nv + j) * model.nv + k) : e] = values[p][e];
    }
  }
  return results;
}

struct Vectors {
  std::vector<const double*> in;
  std::vector<std::vector<double>> values;
  std::vector<double*> out;
  Vectors(const Program& program, const State& s) {
    for (const Port& port : program.inputs())
      in.push_back((port.name == "q" ? s.q : port.name == "dq" ? s.v : port.name == "tau" ? s.tau : s.a).data());
    for (const Port& port : program.outputs()) values.emplace_back(port.elements.size());
    for (std::vector<double>& x : values) out.push_back(x.data());
  }
};

Results evaluated(const Program& program, const Model& model, const State& s) {
  Vectors x(program, s);
  std::vector<double> work(program.nodes().size());
  REQUIRE(program.evaluate(x.in.data(), x.out.data(), work.data()));
  return outputs_of(program, model, x.values);
}

Results compiled(const VectorisedProgram& vectorised, const Model& model, const State& s) {
  const Program& program = vectorised.program;
  CompileOptions options;
  options.flags = "-O0", options.cache.clear();
  const CompiledProgram code(emit_c(vectorised, "f"), "f", options);
  Vectors x(program, s);
  REQUIRE(code.call(x.in.data(), x.out.data()) == 0);
  return outputs_of(program, model, x.values);
}

/// The unknowns of a system in a given order of elimination, by name.
std::map<std::string, double> solved(const Model& model, const SensorSet& set, std::optional<Order> (*order_of)(const System&),
                                     const State& s, const std::map<std::string, double>& inputs) {
  const auto system = std::make_shared<const System>(model, set);
  const std::optional<Order> order = order_of(*system);
  REQUIRE(order);
  Plan plan = make_plan(system->pattern(), *order);
  plan.fingerprint = system->fingerprint();
  Solver solver(system, std::make_shared<const Plan>(plan));
  std::vector<double> y, x(solver.output_columns().size());
  for (const Input& input : system->inputs()) y.push_back(inputs.at(input.columns.front()));
  const SolverStatus status = solver.solve(s.q.data(), s.v.data(), y.data(), x.data());
  INFO(solver.describe(status));
  REQUIRE(status.ok());
  CHECK(solver.counts().dense == 0);
  std::map<std::string, double> named;
  for (std::size_t k = 0; k < x.size(); ++k) named[solver.output_columns()[k]] = x[k];
  return named;
}

void check_orders(const Renumbered& robot, const State& s, const SensorSet& set) {
  std::map<std::string, double> inputs;
  std::mt19937 rng(1);
  std::normal_distribution<double> normal;
  const System system(robot.depth_first, set);
  for (const Input& input : system.inputs()) inputs[input.columns.front()] = normal(rng);
  const auto expected = solved(robot.depth_first, set, recursive_order, s, inputs);
  for (const auto order : {recursive_order, composite_order, nested_order, substituted_order}) {
    const auto found = solved(robot.other, set, order, of_other(robot, s), inputs);
    std::vector<double> x, r;
    for (const auto& [name, value] : expected) r.push_back(value), x.push_back(found.at(name));
    CHECK(norm_error(x, r) < 1e-12 * condition_of(robot.depth_first, s));
  }
}

}  // namespace

TEST_CASE("numbering: links, momentum, energy") {
  for_each_robot(8, [](const Renumbered& robot, const State& s) {
    check_equal(robot, of_links(robot.depth_first, s), of_links(robot.other, of_other(robot, s)), 1e-12);
  });
}

TEST_CASE("numbering: inverse dynamics, M, and derivatives") {
  unsigned n = 0;
  for_each_robot(24, [&](const Renumbered& robot, const State& s) {
    const bool second = ++n % 4 == 0;
    check_equal(robot, of_inverse_dynamics(robot.depth_first, s, second),
                of_inverse_dynamics(robot.other, of_other(robot, s), second), 1e-12);
  });
}

TEST_CASE("numbering: forward dynamics, M⁻¹, and derivatives") {
  unsigned n = 0;
  for_each_robot(24, [&](const Renumbered& robot, const State& s) {
    const bool second = ++n % 8 == 0 && robot.depth_first.nv <= 25;
    check_equal(robot, of_forward_dynamics(robot.depth_first, s, second),
                of_forward_dynamics(robot.other, of_other(robot, s), second), 1e-12 * condition_of(robot.depth_first, s));
  });
}

TEST_CASE("numbering: derivatives beside complex steps of rnea") {
  for_each_robot(3, [](const Renumbered& robot, const State& given) {
    const Model& model = robot.other;
    const State s = of_other(robot, given);
    MomentWorkspace<double> ws(model);
    RneaMatrices<double> x(model), r(model);
    rnea_derivatives(model, ws, s.q.data(), s.v.data(), s.a.data(), s.fx.data(), x.out());
    ReferenceDerivatives reference(model, Dynamics::inverse);
    reference.evaluate(ReferenceMethod::complex_step, s.q.data(), s.v.data(), s.a.data(), s.fx.data(), 1e-30,
                       {r.tau.data(), r.dq.data(), r.dv.data(), r.M.data()});
    CHECK(norm_error(x.tau, r.tau) < 1e-12);
    CHECK(norm_error(x.dq, r.dq) < 1e-12);
    CHECK(norm_error(x.dv, r.dv) < 1e-12);
    CHECK(norm_error(x.M, r.M) < 1e-12);
  });
}

TEST_CASE("numbering: programs of the algorithms, evaluated and compiled") {
  const std::vector<JointKind> hinges{JointKind::revolute, JointKind::prismatic}, some = every_joint_kind();
  const RenumberOptions quadruped{true, LinkOrder::breadth_first, 4, hinges}, shuffled{true, LinkOrder::any, 4, hinges},
      arm{false, LinkOrder::any, 0, hinges}, awkward{true, LinkOrder::any, 0, some};
  const std::pair<int, RenumberOptions> robots[] = {{8, quadruped}, {8, shuffled}, {6, arm}, {6, awkward}};
  for (const auto& [joints, options] : robots)
    for (const std::string& algorithm : program_algorithms()) {
      INFO(algorithm << ", legs " << options.legs << ", order " << static_cast<int>(options.order));
      const bool second = algorithm == "rnea-second-derivatives" || algorithm == "rnea-with-derivatives" ||
                          algorithm == "aba-second-derivatives";
      if (second && options.floating) continue;  // minutes, and covered by the arm
      if (algorithm == "energy" || algorithm == "kinematics" || algorithm.rfind("jacobian", 0) == 0 ||
          algorithm == "hamilton" || algorithm.rfind("regressor", 0) == 0 || algorithm.rfind("cent", 0) == 0 ||
          algorithm.rfind("momentum", 0) == 0 || algorithm == "christoffel")
        continue;  // not by freedoms alone
      const Renumbered robot = renumbered(joints, 5, options);
      std::mt19937 rng(5);
      const State s = random_state(robot.depth_first, rng), t = of_other(robot, s);
      const VectorisedProgram other = vectorised_program(robot.other, algorithm);
      const Results expected = evaluated(algorithm_program(robot.depth_first, algorithm), robot.depth_first, s);
      const double tolerance = 1e-12 * condition_of(robot.depth_first, s);
      check_equal(robot, expected, evaluated(other.program, robot.other, t), tolerance);
      if (other.superwords) check_equal(robot, expected, compiled(other, robot.other, t), tolerance);
    }
}

TEST_CASE("numbering: the Solver in the recursive orders") {
  for_each_robot(2, [](const Renumbered& robot, const State& s) { check_orders(robot, s, forward_dynamics_set()); });
}
