// Programs of one step of time: beside the simulation, and derivatives beside complex steps. For second
// derivatives the step is taken in first ones: half of both orders of differentiation is the Hessian along exponentials.
#include <catch2/catch.hpp>
#include <cmath>
#include <complex>

#include "codegen/casadi/stage_by_coordinates.hpp"
#include "codegen/programs/coordinate_tangent.hpp"
#include "sparsedyn/dynamics/jacobians.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/dynamics/regressor.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/simulation/forward_simulation.hpp"
#include "support/coupled.hpp"
#include "support/evaluated.hpp"
#include "support/robots.hpp"
#include "varied_robots.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

using Complex = std::complex<double>;
constexpr double kStep = 1e-30, kDuration = 0.03;

struct StageState {
  Numbers q, v, u, lambda;
};

std::size_t place_of(int k) { return static_cast<std::size_t>(k); }

std::size_t base_freedoms(const Model& model) { return model.floating() ? 6 : 0; }

StageState at(const Model& model, const State& s) {
  StageState x{s.q, s.v, {s.tau.begin() + static_cast<std::ptrdiff_t>(base_freedoms(model)), s.tau.end()}, {}};
  for (int k = 0; k < 2 * model.nv; ++k) x.lambda.push_back(std::cos(1 + k * k));
  return x;
}

/// Random and special states, and rest at one: where all but gravity is zero.
std::vector<StageState> stage_states(const Model& model, unsigned seed) {
  std::mt19937 rng(seed);
  std::vector<StageState> all{at(model, random_state(model, rng))};
  for (const State& s : special_states(model, rng, 1)) all.push_back(at(model, s));
  StageState rest = all.back();
  neutral(model, rest.q.data());
  std::fill(rest.v.begin(), rest.v.end(), 0.0), std::fill(rest.u.begin(), rest.u.end(), 0.0);
  all.push_back(rest);
  return all;
}

/// Inputs of a program moved along entry k of (δq, v, u, dt) by an imaginary step; no entry: k < 0.
std::vector<std::vector<Complex>> moved(const Model& model, const Program& program, const StageState& s, int k,
                                        double duration = kDuration) {
  const int n = model.nv, of_u = static_cast<int>(s.u.size());
  std::vector<Complex> q(s.q.begin(), s.q.end()), delta(s.v.size()), v(s.v.begin(), s.v.end()), u(s.u.begin(), s.u.end());
  Complex h = duration;
  const Complex step(0, kStep);
  if (k >= 2 * n + of_u)
    h += step;
  else if (k >= 2 * n)
    u[static_cast<std::size_t>(k - 2 * n)] += step;
  else if (k >= n)
    v[static_cast<std::size_t>(k - n)] += step;
  else if (k >= 0)
    delta[static_cast<std::size_t>(k)] += step;
  std::vector<Complex> x(q.size());
  integrate(model, q.data(), delta.data(), x.data());
  x.insert(x.end(), v.begin(), v.end());
  std::vector<std::vector<Complex>> inputs{x, u, {h}};
  if (program.inputs().size() == 4) inputs.emplace_back(s.lambda.begin(), s.lambda.end());
  return inputs;
}

template <class Part>
Numbers parts(const std::vector<Complex>& x, Part&& part) {
  Numbers y;
  for (const Complex& each : x) y.push_back(part(each));
  return y;
}
Numbers real(const std::vector<Complex>& x) {
  return parts(x, [](const Complex& each) { return each.real(); });
}
Numbers slope(const std::vector<Complex>& x) {
  return parts(x, [](const Complex& each) { return each.imag() / kStep; });
}

/// What a change along the tangent does to the coordinates.
Numbers by_coordinates(const Model& model, const Numbers& q, const Numbers& tangent) {
  std::vector<Complex> from(q.begin(), q.end()), delta, to(q.size());
  for (int k = 0; k < model.nv; ++k) delta.emplace_back(0, kStep * tangent[static_cast<std::size_t>(k)]);
  integrate(model, from.data(), delta.data(), to.data());
  Numbers made = slope(to);
  made.insert(made.end(), tangent.begin() + model.nv, tangent.end());
  return made;
}

/// The library's own step with constant torques.
Numbers stepped(const Model& model, const std::string& integrator, const StageState& s, double duration) {
  ForwardSimulation motion;
  motion.q = s.q, motion.v = s.v, motion.rate = 1 / duration, motion.rows = 2;
  motion.integrator = *integrator_of(integrator);
  const auto n = static_cast<std::size_t>(model.nv);
  motion.targets.time = {0.0};
  motion.targets.q.assign(n, std::nan("")), motion.targets.v.assign(n, 0.0), motion.targets.tau.assign(n, 0.0);
  std::copy(s.u.begin(), s.u.end(), motion.targets.tau.begin() + static_cast<std::ptrdiff_t>(base_freedoms(model)));
  Numbers x;
  const SimulationEnd end = simulate_forward(model, {}, motion, [&](const MotionRow& row) {
    x.assign(row.numbers + 1, row.numbers + 1 + model.nq + model.nv);  // behind time
  });
  REQUIRE(end.row == -1);
  return x;
}

/// StageOutputs by name; all of them, of one state.
using StageOutputs = std::map<std::string, Numbers>;

StageOutputs outputs_at(const Model& model, const Program& program, const StageState& s) {
  StageOutputs found;
  const auto values = evaluated_as(program, moved(model, program, s, -1));
  for (std::size_t k = 0; k < values.size(); ++k) found[program.outputs()[k].name] = real(values[k]);
  return found;
}

/// Column k of [A B T].
Numbers column(const StageOutputs& found, std::size_t n, std::size_t controls, std::size_t k) {
  const bool of_x = k < 2 * n, of_u = !of_x && k < 2 * n + controls;
  const std::size_t width = of_x ? 2 * n : of_u ? controls : 1, at = of_x ? k : of_u ? k - 2 * n : 0;
  const Numbers& matrix = found.at(of_x ? "A" : of_u ? "B" : "T");
  Numbers made;
  for (std::size_t r = 0; r < 2 * n; ++r) made.push_back(matrix[r * width + at]);
  return made;
}

/// A, B and T beside complex steps of x_next, and g beside λᵀ times them.
void check_first(const Model& model, const Program& next, const StageState& s, const StageOutputs& found) {
  const std::size_t n = s.v.size(), size = 2 * n + s.u.size() + 1;
  const Numbers q_next(found.at("x_next").begin(), found.at("x_next").begin() + model.nq);
  Numbers g;
  for (std::size_t k = 0; k < size; ++k) {
    const Numbers tangent = column(found, n, s.u.size(), k);
    const auto by_step = evaluated_as(next, moved(model, next, s, static_cast<int>(k)));
    CHECK(norm_error(by_coordinates(model, q_next, tangent), slope(by_step[0])) < 1e-10);
    g.push_back(0);
    for (std::size_t r = 0; r < tangent.size(); ++r) g.back() += s.lambda[r] * tangent[r];
  }
  CHECK(norm_error(found.at("g"), g) < 1e-11);
}

/// H, which has these entries, beside complex steps of g.
void check_second(const Model& model, const Program& gradient, const StageState& s, const Port& entries,
                  const Numbers& values) {
  std::vector<Numbers> bent;
  const std::size_t size = 2 * s.v.size() + s.u.size() + 1;
  for (std::size_t k = 0; k < size; ++k)
    bent.push_back(slope(evaluated_as(gradient, moved(model, gradient, s, static_cast<int>(k)))[0]));
  std::map<std::string, double> known;
  for (std::size_t e = 0; e < values.size(); ++e) known[entries.elements[e]] = values[e];
  REQUIRE(known.size() == values.size());
  Numbers H, expected;
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t k = 0; k <= i; ++k) {
      const auto entry = known.find("H." + std::to_string(i) + "." + std::to_string(k));
      H.push_back(entry == known.end() ? 0.0 : entry->second);
      expected.push_back(0.5 * (bent[i][k] + bent[k][i]));
    }
  CHECK(norm_error(H, expected) < 1e-10);
}

/// The torques of this motion, less what the forces on links do, are those that the step was given. Behind no time the velocity
/// changes by the acceleration alone.
void check_forces(const Model& model, const Program& next, const StageState& s, const std::vector<std::string>& links) {
  const std::size_t n = s.v.size(), torques = s.u.size() - 3 * links.size();
  const Numbers rate = slope(evaluated_as(next, moved(model, next, s, static_cast<int>(2 * n + s.u.size()), 0))[0]),
                a(rate.begin() + model.nq, rate.end());
  Workspace<double> work(model);
  Numbers needed(n), J(6 * n);
  rnea(model, work, s.q.data(), s.v.data(), a.data(), static_cast<const Force<double>*>(nullptr), needed.data());
  forward_kinematics(model, work, s.q.data(), static_cast<const double*>(nullptr), static_cast<const double*>(nullptr));
  for (std::size_t link = 0; link < links.size(); ++link) {
    link_jacobian(model, work, model.find_link(links[link]), Axes::world, J.data());
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t i = 0; i < 3; ++i) needed[k] -= J[(3 + i) * n + k] * s.u[torques + 3 * link + i];
  }
  Numbers given(n - torques);
  given.insert(given.end(), s.u.begin(), s.u.begin() + static_cast<std::ptrdiff_t>(torques));
  CHECK(norm_error(needed, given) < 1e-10);
}

/// With forces on two links, the last one and the one before it.
void check_stage_with_forces(const Model& model, unsigned seed) {
  const std::vector<std::string> links{model.links.back().name, model.links[model.links.size() - 2].name};
  const auto made = [&](const std::vector<std::string>& outputs) {
    return stage_program(model, "semi-implicit", outputs, {}, links);
  };
  const Program next = made({"x_next"}), gradient = made({"g"}), all = made(stage_outputs("semi-implicit"));
  const std::vector<std::string>& controls = all.inputs()[1].elements;
  CHECK(controls.back() == "force." + links[1] + ".z");
  for (StageState s : stage_states(model, seed)) {
    while (s.u.size() < controls.size()) s.u.push_back(10 * std::sin(1 + s.u.size() * s.u.size()));
    const StageOutputs found = outputs_at(model, all, s);
    check_forces(model, next, s, links);
    check_first(model, next, s, found);
    check_second(model, gradient, s, all.outputs().back(), found.at("H"));
  }
}

/// x_k moved by an imaginary step (no entry: k < 0), and its quaternions scaled to norm 1. `scale`: by what each x is divided.
std::vector<Complex> normalised(const Model& model, const Numbers& at, int k, std::vector<Complex>& scale) {
  std::vector<Complex> x(at.begin(), at.end());
  if (k >= 0) x[static_cast<std::size_t>(k)] += Complex(0, kStep);
  scale.assign(x.size(), 1.0);
  for (const Body& body : model.bodies) {
    const int offset = quaternion_offset(body.joint);
    if (offset < 0) continue;
    Complex square = 0;
    for (int m = 0; m < 4; ++m)
      square += x[static_cast<std::size_t>(body.q + offset + m)] * x[static_cast<std::size_t>(body.q + offset + m)];
    for (int m = 0; m < 4; ++m) {
      const auto place = static_cast<std::size_t>(body.q + offset + m);
      scale[place] = std::sqrt(square), x[place] /= scale[place];
    }
  }
  return x;
}

/// By coordinates: the Jacobian beside complex steps of x_next, and H beside those of g.
void check_by_coordinates(const Model& model, unsigned seed, const std::vector<std::string>& links) {
  const Program next = stage_program(model, "semi-implicit", {"x_next"}, {}, links),
                all = stage_by_coordinates(model, {"A", "B", "T", "g", "H"}, links);
  const auto nx = place_of(model.nq + model.nv), nu = all.inputs()[1].elements.size(), size = nx + nu + 1;
  for (StageState s : stage_states(model, seed)) {
    while (s.u.size() < nu) s.u.push_back(10 * std::sin(1 + s.u.size() * s.u.size()));
    s.lambda.clear();
    for (std::size_t k = 0; k < nx; ++k) s.lambda.push_back(std::cos(1 + k * k));
    Numbers at = s.q;
    at.insert(at.end(), s.v.begin(), s.v.end());
    const auto inputs = [&](int k, std::vector<Complex>& scale) {
      std::vector<Complex> u(s.u.begin(), s.u.end()), h{kDuration};
      const int of_u = k - static_cast<int>(nx);
      if (of_u >= 0) (of_u < static_cast<int>(nu) ? u[place_of(of_u)] : h[0]) += Complex(0, kStep);
      return std::vector<std::vector<Complex>>{
          normalised(model, at, of_u < 0 ? k : -1, scale), u, h, {s.lambda.begin(), s.lambda.end()}};
    };
    std::vector<Complex> scale;
    const auto found = evaluated_as(all, inputs(-1, scale));
    Numbers H(size * size), expected(size * size), J, expected_J, g;
    const std::vector<std::string>& names = all.outputs().back().elements;
    for (std::size_t e = 0; e < names.size(); ++e) {
      const std::size_t i = std::stoul(names[e].substr(2)), k = std::stoul(names[e].substr(names[e].rfind('.') + 1));
      H[i * size + k] = H[k * size + i] = found[4][e].real();
    }
    for (std::size_t k = 0; k < size; ++k) {
      auto along = inputs(static_cast<int>(k), scale);
      const Numbers bent = slope([&] {
        std::vector<Complex> gradient = evaluated_as(all, along)[3];
        for (std::size_t i = 0; i < nx; ++i) gradient[i] /= scale[i];
        return gradient;
      }());
      for (std::size_t i = 0; i < size; ++i) expected[i * size + k] = bent[i];
      along.pop_back();
      const Numbers by_step = slope(evaluated_as(next, along)[0]);
      expected_J.insert(expected_J.end(), by_step.begin(), by_step.end());
      const std::size_t part = k < nx ? 0 : k < nx + nu ? 1 : 2, width = part == 0 ? nx : part == 1 ? nu : 1;
      g.push_back(0);
      for (std::size_t r = 0; r < nx; ++r) {
        J.push_back(found[part][r * width + (part == 0 ? k : part == 1 ? k - nx : 0)].real());
        g.back() += s.lambda[r] * J.back();
      }
    }
    CHECK(norm_error(J, expected_J) < 1e-10);
    CHECK(norm_error(real(found[3]), g) < 1e-10);
    CHECK(norm_error(H, expected) < 1e-10);
  }
}

void check_stage(const Model& model, const std::string& integrator, unsigned seed, bool second = true) {
  INFO(integrator);
  std::vector<std::string> names = stage_outputs(integrator);
  if (!second) names.pop_back();
  const Program next = stage_program(model, integrator, {"x_next"}), gradient = stage_program(model, integrator, {"g"}),
                all = stage_program(model, integrator, names);
  for (const StageState& s : stage_states(model, seed)) {
    const StageOutputs found = outputs_at(model, all, s);
    CHECK(norm_error(found.at("x_next"), stepped(model, integrator, s, kDuration)) < 1e-11);
    check_first(model, next, s, found);
    if (second) check_second(model, gradient, s, all.outputs().back(), found.at("H"));
  }
}

}  // namespace

TEST_CASE("a step of semi-implicit Euler and its derivatives, of hinges and slides") {
  check_stage(tree_of_hinges(GENERATE(false, true)), "semi-implicit", 1);
}

TEST_CASE("a step of semi-implicit Euler and its derivatives, of every kind of joint") {
  check_stage(tree_of_every_kind(GENERATE(false, true)), "semi-implicit", 2);
}

TEST_CASE("a step with forces on links, and its derivatives") {
  check_stage_with_forces(random_tree(2, 7, {true, true}), 7);
  check_stage_with_forces(random_tree(2, 8, {false, true, 0.4, {JointKind::spherical, JointKind::planar}}), 8);
}

TEST_CASE("a step by coordinates") {
  const bool forces = GENERATE(false, true);
  for (const Model& model : {tree_of_hinges(false), random_tree(1, 7, {true, true, 0.4, {JointKind::spherical}}),
                             random_tree(2, 5, {false, true, 0.4, {JointKind::planar, JointKind::floating}})})
    check_by_coordinates(model, 9, forces ? std::vector<std::string>{model.links.back().name} : std::vector<std::string>{});
}

TEST_CASE("forces on links are refused where no step takes them") {
  const Model model = tree_of_hinges(true);
  CHECK_THROWS_AS(stage_program(model, "rk4", {"x_next"}, {}, {model.links.back().name}), std::invalid_argument);
  CHECK_THROWS_AS(stage_program(model, "semi-implicit", {"x_next"}, {}, {"nowhere"}), std::invalid_argument);
}

TEST_CASE("a step of Runge and Kutta's method and its derivatives, of hinges and slides") {
  const bool floating = GENERATE(false, true);
  check_stage(tree_of_hinges(floating), "runge-kutta", 1, !floating);
}

TEST_CASE("a step of Runge and Kutta's method and its derivatives, of every kind of joint on the ground") {
  check_stage(tree_of_every_kind(false), "runge-kutta", 2, false);
}

TEST_CASE("a step of Runge and Kutta's method and its derivatives, of a ball and a planar joint on a free base") {
  check_stage(random_tree(2, 7, {true, true, 0.4, {JointKind::spherical, JointKind::planar}}), "runge-kutta", 3, false);
}

TEST_CASE("a step of time and its derivatives, of coupled joints") {
  TreeOptions options;
  options.floating = GENERATE(false, true);
  const Model tree = with_joint_physics(random_tree(4, 11, options), 4);
  const std::string integrator = GENERATE("semi-implicit", "runge-kutta");
  check_stage(random_coupled_robot(tree, 9).model, integrator, 3, integrator == "semi-implicit" || !options.floating);
}

TEST_CASE("outputs of a step are the same alone and beside others") {
  const Model model = random_tree(1, 4, {true});  // a free base and a hinge
  const StageState s = stage_states(model, 4)[0];
  const std::string integrator = GENERATE("semi-implicit", "runge-kutta");
  const std::vector<std::string>& names = stage_outputs(integrator);
  const Program all = stage_program(model, integrator, names);
  const auto together = evaluated_as(all, moved(model, all, s, -1));
  for (std::size_t k = 0; k < names.size(); ++k) {
    const Program one = stage_program(model, integrator, {names[k]});
    REQUIRE(one.outputs().size() == 1);
    CHECK(one.outputs()[0].elements == all.outputs()[k].elements);
    CHECK(one.inputs().size() == (names[k] == "g" || names[k] == "H" ? 4u : 3u));
    CHECK(norm_error(real(evaluated_as(one, moved(model, one, s, -1))[0]), real(together[k])) < 1e-11);
  }
  CHECK_THROWS_AS(stage_program(model, integrator, {"C"}), std::invalid_argument);
  CHECK_THROWS_AS(stage_program(model, "implicit-velocity"), std::invalid_argument);
  CHECK(evaluated_as(stage_program(model, "rk4", {"x_next"}), moved(model, all, s, -1)) ==
        evaluated_as(stage_program(model, "runge-kutta", {"x_next"}), moved(model, all, s, -1)));
}

TEST_CASE("the Hessian of a step by Runge and Kutta's method, beside others and alone") {
  const Model arm = random_tree(3, 12, {false, true});
  const Program all = stage_program(arm, "rk4", {"A", "g", "H"}), one = stage_program(arm, "rk4", {"H"}),
                gradient = stage_program(arm, "rk4", {"g"});
  CHECK(one.outputs()[0].elements == all.outputs()[2].elements);
  for (const StageState& s : stage_states(arm, 6)) {
    const Numbers H = outputs_at(arm, one, s).at("H");
    check_second(arm, gradient, s, one.outputs()[0], H);
    CHECK(norm_error(H, outputs_at(arm, all, s).at("H")) < 1e-11);
  }
}

TEST_CASE("the Hessian of a step by Runge and Kutta's method, of each kind of joint") {
  const JointKind kind = GENERATE(from_range(every_joint_kind()));
  INFO(static_cast<int>(kind));
  check_stage(random_tree(1, 5, {false, true, 0.4, {kind}}), "runge-kutta", 4);
}

TEST_CASE("the Hessian of a step by Runge and Kutta's method, of a ball and a planar joint behind another") {
  check_stage(random_tree(2, 7, {false, true, 0.4, {JointKind::spherical, JointKind::planar}}), "runge-kutta", 3);
}

TEST_CASE("the Hessian of a step by Runge and Kutta's method, of a hinge on a free base") {
  check_stage(random_tree(1, 7, {true, true, 0.4, {JointKind::revolute}}), "runge-kutta", 5);
}

TEST_CASE("parameters as inputs of a step") {
  const Model robot = tree_of_hinges(GENERATE(false, true));
  const std::vector<int> columns = all_columns(robot);
  const Numbers pi = with_columns(robot, columns, drawn(robot, 5));
  const StageState s = stage_states(robot, 5)[0];
  const std::string integrator = GENERATE("semi-implicit", "runge-kutta");
  std::vector<std::string> names = stage_outputs(integrator);
  if (integrator != "semi-implicit" && robot.floating()) names.pop_back();  // H takes seconds to record
  const Program varying = stage_program(robot, integrator, names, inputs_of(robot, columns));
  for (const Numbers& each : {parameters(robot), pi}) {
    const Model other = robot_with(robot, each);
    const Program constant = stage_program(other, integrator, names);
    auto inputs = moved(robot, constant, s, -1);
    const auto expected = evaluated_as(constant, inputs);
    inputs.emplace_back();
    for (const double x : picked(each, columns)) inputs.back().emplace_back(x);
    REQUIRE(varying.inputs().back().name == "pi");
    const auto found = evaluated_as(varying, inputs);
    for (std::size_t k = 0; k < found.size(); ++k) {
      std::map<std::string, double> by_name;
      for (std::size_t e = 0; e < found[k].size(); ++e) by_name[varying.outputs()[k].elements[e]] = found[k][e].real();
      Numbers picked_ones;
      for (const std::string& name : constant.outputs()[k].elements) picked_ones.push_back(by_name.at(name));
      CHECK(norm_error(picked_ones, real(expected[k])) < 1e-10);
    }
  }
}

TEST_CASE("a body may turn twice within a step, and no further") {
  ModelBuilder builder("ball");
  builder.root("ball", {2.0, zero3<double>(), {0.1, 0, 0, 0.1, 0, 0.1}}, true);
  const Model model = builder.build();
  const std::string integrator = GENERATE("semi-implicit", "runge-kutta");
  StageState s = stage_states(model, 6)[0];
  const Program next = stage_program(model, integrator, {"x_next"});
  const auto turned = [&](double speed) {
    std::fill(s.v.begin(), s.v.end(), 0.0), s.v[1] = speed;
    std::vector<Numbers> inputs;  // as numbers: complex ones have roots of all
    for (const std::vector<Complex>& input : moved(model, next, s, -1, 1e-3)) inputs.push_back(real(input));
    return evaluated_as(next, inputs)[0];
  };
  for (const double speed : {1e-9, 1e-4, 1.0, 3000.0, 6283.0, 12500.0}) {
    const Numbers found = turned(speed), whole = stepped(model, integrator, s, 1e-3), posture(whole.begin(), whole.begin() + 7);
    CHECK(norm_error({found.begin(), found.begin() + 7}, posture) < 1e-13);
  }
  CHECK(std::isnan(turned(12700)[3]));
}

TEST_CASE("what turns by more than twice within a step is no number, whatever is asked for") {
  const bool rk4 = GENERATE(false, true);
  const JointKind kind = GENERATE(JointKind::planar, JointKind::spherical, JointKind::floating);
  const Model model = random_tree(1, 3, {false, false, 0, {kind}});
  const std::string integrator = rk4 ? "rk4" : "semi-implicit";
  StageState s = stage_states(model, 6)[0];
  for (const std::string& name : stage_outputs(integrator)) {
    INFO(integrator << " " << name << " " << static_cast<int>(kind));
    const Program one = stage_program(model, integrator, {name});
    const auto has_nan = [&](double speed) {
      std::fill(s.v.begin(), s.v.end(), 0.1), s.v[kind == JointKind::planar ? 2 : 1] = speed;
      std::vector<Numbers> inputs;
      for (const std::vector<Complex>& input : moved(model, one, s, -1, 1e-3)) inputs.push_back(real(input));
      const Numbers found = evaluated_as(one, inputs)[0];
      return std::any_of(found.begin(), found.end(), [](double x) { return std::isnan(x); });
    };
    CHECK_FALSE(has_nan(100));
    CHECK(has_nan(14000) == (rk4 || kind != JointKind::planar));  // semi-implicit: by sine and cosine, of all angles
  }
}

namespace {

/// Entries that are zero for the geometry of a pose alone: by positions of free bodies and planar joints, and by a free body's
/// rotation about the direction of its velocity.
bool of_a_pose(const Model& model, int row, int column) {
  for (const Body& body : model.bodies) {
    const TangentGroup group = tangent_group(body.joint);
    const int first = body.v + (group == TangentGroup::free ? 3 : 0), count = group == TangentGroup::free ? 3 : 2;
    if (group != TangentGroup::free && group != TangentGroup::planar) continue;
    for (int k = first; k < first + count; ++k)
      if (row == k || column == k || (group == TangentGroup::free && row == model.nv + k && column == k - 3)) return true;
  }
  return false;
}

/// Entries of H that are zero to rounding at each of several states.
std::vector<std::pair<int, int>> idle_entries(const Model& model) {
  const Program H = stage_program(model, "semi-implicit", {"H"});
  const std::vector<std::string>& names = H.outputs()[0].elements;
  Numbers most(names.size());
  std::mt19937 rng(1);
  for (int k = 0; k < 4; ++k) {
    const Numbers found = real(evaluated_as(H, moved(model, H, at(model, random_state(model, rng)), -1))[0]);
    double largest = 0;
    for (const double x : found) largest = std::max(largest, std::abs(x));
    for (std::size_t e = 0; e < found.size(); ++e) most[e] = std::max(most[e], std::abs(found[e]) / largest);
  }
  std::vector<std::pair<int, int>> idle;
  for (std::size_t e = 0; e < names.size(); ++e)
    if (most[e] < 1e-13) idle.emplace_back(std::stoi(names[e].substr(2)), std::stoi(names[e].substr(names[e].rfind('.') + 1)));
  return idle;
}

}  // namespace

TEST_CASE("an entry of a step's Hessian is zero at every state only where a pose is moved along itself") {
  for (const bool floating : {false, true})
    for (const JointKind kind : every_joint_kind()) {
      INFO(static_cast<int>(kind) << " floating " << floating);
      const Model model = random_tree(floating ? 1 : 2, 5, {floating, true, 0.4, {kind}});
      for (const auto& [row, column] : idle_entries(model)) {
        INFO(row << " " << column);
        CHECK(of_a_pose(model, row, column));
      }
    }
}

TEST_CASE("a robot without joints has steps, rates and derivatives without elements") {
  Model model;
  model.name = "plinth", model.links.resize(1);
  for (const char* integrator : {"semi-implicit", "rk4", "rate"})
    for (const std::string& output : stage_outputs(integrator)) {
      INFO(integrator << ' ' << output);
      CHECK(stage_program(model, integrator, {output}).outputs().size() == 1);
    }
}

TEST_CASE("the Hessian of an additive robot's step has no entry by two torques, or by a torque and a velocity") {
  const Program H = stage_program(random_tree(3, 2), "semi-implicit", {"H"});
  for (const std::string& name : H.outputs()[0].elements) {
    const int row = std::stoi(name.substr(2)), other = std::stoi(name.substr(name.rfind('.') + 1));
    if (row >= 6 && row < 9) CHECK(other < 3);
  }
}
