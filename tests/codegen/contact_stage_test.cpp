// Generated steps of time under contacts and loops: beside one step of the simulation, and derivatives beside the
// accelerations' derivatives of ConstrainedDynamics, which the joints' own steps carry on in the complex plane; beside
// differences of steps; and beside programs of steps without contacts, where none is near.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <complex>
#include <limits>
#include <random>

#include "codegen/contacts/time/joint_steps.hpp"
#include "compiled.hpp"
#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/simulation/forward_simulation.hpp"
#include "support/contact_loops.hpp"
#include "support/contact_robots.hpp"
#include "support/evaluated.hpp"
#include "support/four_bar.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;
using Catch::Contains;

namespace {

using ComplexStep = std::complex<double>;
using StepVector = std::vector<double>;
constexpr double kTinyStep = 1e-30;

std::size_t of_base(const Model& model) { return model.floating() ? 6 : 0; }

/// A state whose free base bears no torque, and multipliers.
struct StepState {
  StepState(const Model& model, const ContactState& s, double duration) : x(s.q), v(s.v), tau(s.tau), h{duration} {
    std::fill_n(tau.begin(), of_base(model), 0.0);
    x.insert(x.end(), v.begin(), v.end());
    u.assign(tau.begin() + static_cast<std::ptrdiff_t>(of_base(model)), tau.end());
    for (int k = 0; k < 2 * model.nv; ++k) lambda.push_back(std::cos(1 + k * k));
  }
  StepVector q(const Model& model) const { return {x.begin(), x.begin() + model.nq}; }
  StepVector x, v, tau, u, h, lambda;
};

/// All outputs.
struct StepAnswer {
  StepAnswer(const Model& model, const ConstrainedDynamics& d)
      : n(static_cast<std::size_t>(model.nv)),
        controls(n - of_base(model)),
        x(static_cast<std::size_t>(model.nq) + n, -7),
        A(4 * n * n, -7),
        B(2 * n * controls, -7),
        T(2 * n, -7),
        g(2 * n + controls + 1, -7),
        force(d.force_columns().size(), -7),
        gap(d.gap_columns().size(), -7),
        next(1000, -7),
        solver(3, -7) {}
  std::size_t n, controls;
  StepVector x, A, B, T, g, force, gap, next, solver;

  std::vector<double*> results() {
    return {x.data(), A.data(), B.data(), T.data(), g.data(), force.data(), gap.data(), next.data(), solver.data()};
  }
  int call(const CompiledProgram& f, const StepState& s, const double* start = nullptr) {
    const double* arg[] = {s.x.data(), s.u.data(), s.h.data(), s.lambda.data(), start};
    return f.call(arg, results().data());
  }
  /// Column k of [A B T].
  StepVector column(std::size_t k) const {
    const bool of_x = k < 2 * n, of_u = !of_x && k < 2 * n + controls;
    const std::size_t width = of_x ? 2 * n : of_u ? controls : 1, at = of_x ? k : of_u ? k - 2 * n : 0;
    const StepVector& matrix = of_x ? A : of_u ? B : T;
    StepVector made;
    for (std::size_t r = 0; r < 2 * n; ++r) made.push_back(matrix[r * width + at]);
    return made;
  }
};

/// All outputs but H.
std::vector<std::string> first_outputs() {
  std::vector<std::string> names = contact_stage_outputs();
  names.erase(std::find(names.begin(), names.end(), "H"));
  return names;
}

CompiledProgram compiled_step(const Model& model, const ConstraintSet& set, const std::string& compiler = quick_compiler(),
                              const std::string& flags = "-O0") {
  return {contact_stage_code(model, set, first_outputs(), "f").files, "f", strictly(compiler, flags)};
}

/// The library's own step with constant torques.
StepVector simulated(const Model& model, const ConstraintSet& set, const StepState& s) {
  ForwardSimulation motion;
  motion.q = s.q(model), motion.v = s.v, motion.rate = 1 / s.h[0], motion.rows = 2;
  const auto n = static_cast<std::size_t>(model.nv);
  motion.targets.time = {0.0};
  motion.targets.q.assign(n, std::nan("")), motion.targets.v.assign(n, 0.0), motion.targets.tau = s.tau;
  StepVector x;
  const SimulationEnd end = simulate_forward(model, set, motion, [&](const MotionRow& row) {
    x.assign(row.numbers + 1, row.numbers + 1 + model.nq + model.nv);  // behind time
  });
  REQUIRE(end.row == -1);
  return x;
}

/// Accelerations, and their derivatives by q, v and τ, nv × nv each.
struct Accelerations {
  Accelerations(ConstrainedDynamics& d, const Model& model, const StepState& s) {
    const auto n = static_cast<std::size_t>(model.nv);
    StepVector lambda(d.force_columns().size()), gap(d.gap_columns().size());
    a.resize(n), by.assign(3, StepVector(n * n));
    solved = d.derivatives(s.x.data(), s.v.data(), s.tau.data(), nullptr,
                           {a.data(), lambda.data(), gap.data(), by[0].data(), by[1].data(), by[2].data()})
                 .ok();
  }
  bool solved;
  StepVector a;
  std::vector<StepVector> by;
};

/// x⁺ of joints whose δq, v, a and dt are moved along column k of (δq, v, u, dt) by an imaginary step.
StepVector slope_of_steps(const Model& model, const Program& steps, const StepState& s, const Accelerations& a, std::size_t k) {
  const auto n = static_cast<std::size_t>(model.nv), controls = s.u.size();
  const StepVector at = s.q(model);
  std::vector<ComplexStep> q(at.begin(), at.end()), delta(n), moved(q.size()), v(s.v.begin(), s.v.end()),
      acceleration(a.a.begin(), a.a.end());
  ComplexStep h = s.h[0];
  const ComplexStep step(0, kTinyStep);
  if (k == 2 * n + controls)
    h += step;
  else {
    const std::size_t kind = k < n ? 0 : k < 2 * n ? 1 : 2, c = kind < 2 ? k - kind * n : k - 2 * n + of_base(model);
    if (kind == 0) delta[c] += step;
    if (kind == 1) v[c] += step;
    for (std::size_t i = 0; i < n; ++i) acceleration[i] += step * a.by[kind][i * n + c];
  }
  integrate(model, q.data(), delta.data(), moved.data());
  const auto reached = evaluated_as<ComplexStep>(steps, {moved, v, acceleration, {h}});
  StepVector slopes;
  for (const ComplexStep& x : reached[0]) slopes.push_back(x.imag() / kTinyStep);
  return slopes;
}

/// What a change along the tangent at x does to the coordinates.
StepVector coordinates_by_tangent(const Model& model, const StepVector& x, const StepVector& tangent) {
  std::vector<ComplexStep> from(x.begin(), x.begin() + model.nq), delta, to(from.size());
  for (int k = 0; k < model.nv; ++k) delta.emplace_back(0, kTinyStep * tangent[static_cast<std::size_t>(k)]);
  integrate(model, from.data(), delta.data(), to.data());
  StepVector made;
  for (const ComplexStep& each : to) made.push_back(each.imag() / kTinyStep);
  made.insert(made.end(), tangent.begin() + model.nv, tangent.end());
  return made;
}

void check_step_derivatives(const Model& model, const Program& steps, const StepState& s, const StepAnswer& found,
                            const Accelerations& a) {
  StepVector g;
  double largest = 1;
  std::vector<StepVector> expected;
  for (std::size_t k = 0; k < found.g.size(); ++k) {
    expected.push_back(slope_of_steps(model, steps, s, a, k));
    for (double x : expected.back()) largest = std::max(largest, std::abs(x));
  }
  for (std::size_t k = 0; k < found.g.size(); ++k) {
    const StepVector tangent = found.column(k), reached = coordinates_by_tangent(model, found.x, tangent);
    CAPTURE(k);
    double most = 0;
    for (std::size_t i = 0; i < reached.size(); ++i) most = std::max(most, std::abs(reached[i] - expected[k][i]));
    CHECK(most <= 1e-9 * largest);
    g.push_back(0);
    for (std::size_t r = 0; r < tangent.size(); ++r) g.back() += s.lambda[r] * tangent[r];
  }
  CHECK(relative_difference(found.g, g) <= 1e-11);
}

Seen hold_steps_against_reference(const Model& model, const ConstraintSet& set, int states, unsigned seed,
                                  const std::string& compiler = quick_compiler(), const std::string& flags = "-O0",
                                  double duration = 0.02) {
  CAPTURE(model.name, seed, compiler, flags);
  const CompiledProgram f = compiled_step(model, set, compiler, flags);
  const Program steps = joint_steps(model, StepDerivatives::none);
  ConstrainedDynamics dynamics(model, set);
  StepAnswer found(model, dynamics), warm(found);
  std::mt19937 rng(seed);
  Seen seen;
  int unsolved = 0;
  for (int k = 0; k < states; ++k) {
    ContactState state = touching_state(model, set, rng);
    if (k % 4 == 3) std::fill(state.v.begin(), state.v.end(), 0.0), std::fill(state.tau.begin(), state.tau.end(), 0.0);
    const StepState s(model, state, k % 2 ? 0.1 * duration : duration);
    CAPTURE(k);
    const Accelerations a(dynamics, model, s);
    if (!a.solved) {
      ++unsolved;
      CHECK(found.call(f, s) != 0);
      continue;
    }
    REQUIRE(found.call(f, s) == 0);
    CHECK(relative_difference(found.x, simulated(model, set, s)) <= 1e-10);
    check_step_derivatives(model, steps, s, found, a);
    count_kinds(set, found.force, found.gap, seen);
    REQUIRE(warm.call(f, s, found.next.data()) == 0);
    CHECK(warm.solver[0] <= found.solver[0]);
    CHECK(relative_difference(warm.x, found.x) <= 1e-10);
  }
  CHECK(unsolved == 0);
  return seen;
}

}  // namespace

TEST_CASE("generated steps under contacts of all cones and frictions are the simulation's, with exact derivatives") {
  const Model model = shipped_model("quadruped", true);
  for (const std::string compiler : {"gcc", "clang"})
    for (const Cone cone : {Cone::elliptic, Cone::pyramidal}) {
      if (missing(compiler)) continue;
      ConstraintSet set = spheres_on_leaves(model, cone == Cone::elliptic ? std::vector<StepVector>{{0.8}} : all_frictions);
      set.parameters.cone = cone;
      if (cone == Cone::pyramidal) add_stops_and_friction(set);
      const Seen seen = hold_steps_against_reference(model, set, 16, 3, compiler, cone == Cone::elliptic ? "-O1" : "-O0");
      CHECK(seen.open > 0);
      if (cone == Cone::elliptic) CHECK((seen.sticking > 0 && seen.sliding > 0));
    }
}

TEST_CASE("generated steps under contacts of other robots with every joint, on slopes, and with joints that follow others") {
  if (missing(quick_compiler())) return;
  for (unsigned seed = 0; seed < 3; ++seed) {
    const ContactRobot slope = robot_on_a_slope(seed), followers = robot_with_followers(seed);
    // light links, whose joints would turn by more than two turns in longer steps
    hold_steps_against_reference(slope.model, slope.set, 8, seed, quick_compiler(), "-O0", 0.001);
    hold_steps_against_reference(followers.model, followers.set, 8, seed, quick_compiler(), "-O0", 0.001);
  }
}

TEST_CASE("generated steps of whole robots that stand, and of robots with loops, hard and soft") {
  if (missing(quick_compiler())) return;
  for (const ContactRobot& robot : standing_robots({"hyq"})) hold_steps_against_reference(robot.model, robot.set, 6, 1);
  const Model humanoid = shipped_model("humanoid", true), bars = four_bar();
  for (const bool hard : {true, false}) {
    ConstraintSet set = spheres_on_leaves(humanoid, {{0.8}}), loop;
    set.constraints.push_back(pair_of(humanoid, ConstraintType::weld, "l_hand", "r_hand", hard));
    hold_steps_against_reference(humanoid, set, 6, 3);
    loop.constraints = {four_bar_loop()};
    loop.constraints[0].hard = hard;
    hold_steps_against_reference(bars, loop, 8, 1);
  }
}

TEST_CASE(
    "generated steps beside differences of them, where the contacts stick, and beside steps without contacts where none is "
    "near") {
  if (missing(quick_compiler())) return;
  const Model model = shipped_model("quadruped", true);
  ConstraintSet set = spheres_on_leaves(model, {{0.8}});
  const CompiledProgram f = compiled_step(model, set);
  ConstrainedDynamics dynamics(model, set);
  StepAnswer found(model, dynamics), end(found);
  std::mt19937 rng(5);
  ContactState state = touching_state(model, set, rng);
  std::fill(state.v.begin(), state.v.end(), 0.0);
  state.q[2] -= 0.005;
  const StepState s(model, state, 0.002);
  REQUIRE(found.call(f, s) == 0);
  const auto n = static_cast<std::size_t>(model.nv), nq = static_cast<std::size_t>(model.nq);
  for (std::size_t k = 0; k < found.g.size(); ++k) {
    const auto moved_by = [&](double by) {
      StepState at = s;
      StepVector delta(n, 0.0);
      if (k < n) delta[k] = by;
      integrate(model, s.x.data(), delta.data(), at.x.data());
      (k < n ? delta[k] : k < 2 * n ? at.x[nq + k - n] : k < 2 * n + s.u.size() ? at.u[k - 2 * n] : at.h[0]) += by;
      REQUIRE(end.call(f, at, found.next.data()) == 0);
      StepVector change(2 * n);
      difference(model, found.x.data(), end.x.data(), change.data());
      for (std::size_t i = 0; i < n; ++i) change[n + i] = end.x[nq + i] - found.x[nq + i];
      return change;
    };
    const double step = k < n ? 1e-6 : 1e-4;
    const StepVector one = moved_by(step), back = moved_by(-step), two = moved_by(2 * step), far = moved_by(-2 * step);
    StepVector slope;
    for (std::size_t i = 0; i < 2 * n; ++i) slope.push_back((8 * (one[i] - back[i]) - (two[i] - far[i])) / (12 * step));
    CAPTURE(k);
    CHECK(relative_difference(found.column(k), slope) <= 1e-6);
  }

  StepState high = s;
  high.x[2] += 10;
  REQUIRE(found.call(f, high) == 0);
  CHECK(std::all_of(found.force.begin(), found.force.end(), [](double x) { return x == 0; }));
  const Program plain = stage_program(model, "semi-implicit", {"x_next", "A", "B", "T", "g"});
  const auto without = evaluated_as<double>(plain, {high.x, high.u, high.h, high.lambda});
  for (const auto& [one, other] : {std::pair(&found.x, 0), {&found.A, 1}, {&found.B, 2}, {&found.T, 3}, {&found.g, 4}})
    CHECK(relative_difference(*one, without[static_cast<std::size_t>(other)]) <= 1e-10);
}

TEST_CASE("generated steps under contacts: outputs asked for, batches, codes, what is refused") {
  if (missing(quick_compiler())) return;
  const Model model = shipped_model("quadruped", true);
  const ConstraintSet set = spheres_on_leaves(model, {{0.8}});
  const CompiledProgram f = compiled_step(model, set),
                        alone(contact_stage_code(model, set, {"x_next"}, "g").files, "g", strictly(quick_compiler(), "-O0"));
  ConstrainedDynamics dynamics(model, set);
  StepAnswer found(model, dynamics), one(found);
  std::mt19937 rng(6);
  std::vector<StepState> states;
  for (int k = 0; k < 4; ++k) states.emplace_back(model, touching_state(model, set, rng), 0.01);
  REQUIRE(found.call(f, states[0]) == 0);
  const double* arg[] = {states[0].x.data(), states[0].u.data(), states[0].h.data(), nullptr};
  double* res[] = {one.x.data(), one.next.data(), one.solver.data()};
  REQUIRE(alone.call(arg, res) == 0);
  CHECK(one.x == found.x);
  CHECK(one.next == found.next);

  const CompiledProgram sums(contact_stage_code(model, set, {"g", "T"}, "h").files, "h", strictly(quick_compiler(), "-O0"));
  StepVector multipliers = states[0].lambda;  // which T replaces
  const double* given[] = {states[0].x.data(), states[0].u.data(), states[0].h.data(), multipliers.data(), nullptr};
  double* results[] = {multipliers.data(), one.g.data(), nullptr, nullptr};
  REQUIRE(sums.call(given, results) == 0);
  CHECK(multipliers == found.T);
  CHECK(relative_difference(one.g, found.g) <= 1e-12);
  results[0] = nullptr, one.g.assign(one.g.size(), -7);
  given[3] = states[0].lambda.data();
  REQUIRE(sums.call(given, results) == 0);
  CHECK(relative_difference(one.g, found.g) <= 1e-12);

  states[1].u[0] = std::numeric_limits<double>::infinity();
  StepAnswer untouched(model, dynamics);
  CHECK(untouched.call(f, states[1]) == 1);
  CHECK(untouched.x == StepAnswer(model, dynamics).x);
  states[2].x[model.nq + 0] = 4e3;  // 40 rad in a step
  CHECK(untouched.call(f, states[2]) == 1);
  CHECK(untouched.A == StepAnswer(model, dynamics).A);
  std::vector<StepVector> in(4), out(9);
  const std::vector<StepVector StepState::*> parts{&StepState::x, &StepState::u, &StepState::h, &StepState::lambda};
  for (std::size_t p = 0; p < parts.size(); ++p)
    for (std::size_t e = 0; e < (states[0].*parts[p]).size(); ++e)
      for (const StepState& s : states) in[p].push_back((s.*parts[p])[e]);
  out[0].resize(4 * found.x.size()), out[4].resize(4 * found.g.size());
  const double* from[] = {in[0].data(), in[1].data(), in[2].data(), in[3].data(), nullptr};
  double* to[9] = {out[0].data(), nullptr, nullptr, nullptr, out[4].data()};
  int status[4];
  const auto batch = reinterpret_cast<long (*)(const double* const*, double* const*, long, int*)>(f.symbol("f_batch_status"));
  CHECK(batch(from, to, 4, status) == 2);
  CHECK((status[0] == 0 && status[1] == 1 && status[2] == 1 && status[3] == 0));
  REQUIRE(found.call(f, states[3]) == 0);
  for (std::size_t e = 0; e < found.x.size(); ++e) {
    CHECK(out[0][4 * e + 3] == found.x[e]);
    CHECK(std::isnan(out[0][4 * e + 1]));
  }
  for (std::size_t e = 0; e < found.g.size(); ++e) CHECK(out[4][4 * e + 3] == found.g[e]);
  CHECK_THROWS_WITH(contact_stage_code(model, set, {"C"}, "f"), Contains("no output C"));
}
