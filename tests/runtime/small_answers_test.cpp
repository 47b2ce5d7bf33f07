// Small unknowns beside large ones: links of a thousandth to 10⁻¹⁵ of their neighbours' inertia, each component of the answer
// beside long double.
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "redundant_set.hpp"
#include "reference.hpp"
#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/runtime/make_solver.hpp"
#include "sparsedyn/runtime/solver.hpp"
#include "support/heap.hpp"
#include "support/robots.hpp"
#include "support/systems.hpp"
#include "system/assemble.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

constexpr double small_bound = 1e-10;  // relative, of each component

struct Chain {
  int joints = 5, odd = 4;      // the odd link's place
  double mass = 1, length = 1;  // of the odd link; the others have 1 kg and 1 m
  bool floating = false;
};

std::ostream& operator<<(std::ostream& out, const Chain& c) {
  return out << (c.floating ? "floating" : "fixed") << " chain, link " << c.odd << ": mass " << c.mass << ", length "
             << c.length;
}

/// Random rods on hinges; inertias grow with mass · length².
Model chain(const Chain& c) {
  std::mt19937 rng(3);
  ModelBuilder builder("chain");
  builder.root("root", random_inertia(rng), c.floating);
  std::string parent = "root";
  double arm = 1;  // of the link before
  for (int k = 0; k < c.joints; ++k) {
    const double mass = k == c.odd ? c.mass : 1, length = k == c.odd ? c.length : 1;
    JointSpec hinge;
    hinge.kind = JointKind::revolute;
    hinge.axis = random_vector(rng);
    const Inertia<double> unit = random_inertia(rng);
    const double second = mass * length * length;
    const Sym3<double>& I = unit.moments;
    const Inertia<double> inertia{mass * unit.m,
                                  (mass * length) * unit.h,
                                  {second * I.xx, second * I.xy, second * I.xz, second * I.yy, second * I.yz, second * I.zz}};
    Pose<double> placement = random_pose(rng);
    placement.d = arm * placement.d;
    const std::string name = "link" + std::to_string(k);
    builder.link(name, inertia, parent, "joint" + std::to_string(k), hinge, placement);
    parent = name, arm = length;
  }
  return builder.build();
}

/// The odd link's weight from a thousandth to 10⁻¹⁵, or its length from 10⁻⁶ to 10³; first, in the middle and last.
std::vector<Chain> odd_chains() {
  std::vector<Chain> all;
  for (bool floating : {false, true})
    for (int odd : {0, 2, 4}) {
      for (double mass : {1e-3, 1e-6, 1e-9, 1e-12, 1e-15}) all.push_back({5, odd, mass, 1, floating});
      for (double length : {1e-6, 1e-3, 1e3}) all.push_back({5, odd, 1, length, floating});
      all.push_back({5, odd, 1e-6, 1e-3, floating});
    }
  return all;
}

template <class To, class From>
std::vector<To> in(const std::vector<From>& x) {
  return std::vector<To>(x.begin(), x.end());
}

double worst_component(const double* x, const std::vector<long double>& exact) {
  double worst = 0;
  for (std::size_t k = 0; k < exact.size(); ++k)
    if (exact[k] != 0) worst = std::max(worst, static_cast<double>(std::fabs((x[k] - exact[k]) / exact[k])));
  return worst;
}

/// The same of all unknowns of a system, each vector (a force, a moment, an angular or linear acceleration) as a whole: in
/// turned axes one of its components may be a small difference.
double worst_vector(const System& system, const double* x, const std::vector<long double>& exact) {
  double worst = 0;
  for (std::size_t first = 0; first < exact.size();) {
    const Variable& of = system.unknowns()[first];
    std::size_t end = first + 1;
    const auto same = [&](const Variable& other) {
      const bool spatial = of.kind != VariableKind::tau && of.kind != VariableKind::ddq;
      return spatial && other.kind == of.kind && other.owner == of.owner && other.component / 3 == of.component / 3;
    };
    while (end < exact.size() && same(system.unknowns()[end])) ++end;
    long double size = 0, error = 0;
    for (std::size_t k = first; k < end; ++k)
      size = std::max(size, std::fabs(exact[k])), error = std::max(error, std::fabs(x[k] - exact[k]));
    if (size != 0) worst = std::max(worst, static_cast<double>(error / size));
    first = end;
  }
  return worst;
}

/// A x = b in long double, in the plan's order, refined once.
std::vector<long double> solved_precisely(const Plan& plan, const std::vector<long double>& values,
                                          const std::vector<long double>& right_side) {
  std::vector<long double> cell(plan.program.cells), x(plan.pattern.columns, 0.0L);
  std::copy(values.begin(), values.end(), cell.begin());
  run(plan.program.factor, cell.data());
  for (int pass = 0; pass < 2; ++pass) {
    for (int r = 0; r < plan.pattern.rows; ++r) {
      long double rest = right_side[r];
      for (int e = plan.pattern.row_start[r]; e < plan.pattern.row_start[r + 1]; ++e)
        rest -= values[e] * x[plan.pattern.column[e]];
      cell[plan.program.right_side + r] = rest;
    }
    run(plan.program.solve, cell.data());
    for (std::size_t j = 0; j < x.size(); ++j) x[j] += cell[plan.program.solution[j]];
  }
  return x;
}

std::vector<long double> solved_precisely(const System& system, const Plan& plan, const SampleState& s) {
  SystemWorkspace<long double> work(system);
  std::vector<long double> values(plan.pattern.entries()), right_side(plan.pattern.rows);
  system.assemble(in<long double>(s.q).data(), in<long double>(s.v).data(), in<long double>(s.y).data(), values.data(),
                  right_side.data(), work);
  return solved_precisely(plan, values, right_side);
}

/// Torques are given for the joints before `first_driven`, accelerations for the others; nothing touches the robot.
SensorSet hybrid_set(const Model& model, int first_driven) {
  SensorSet set = forward_dynamics_set();
  Sensor torques = set.sensors[0], accelerations = torques;
  torques.all = accelerations.all = false;
  accelerations.name = "driven", accelerations.type = "joint_acceleration";
  for (std::size_t j = model.joints[0].name == "base" ? 1 : 0; j < model.joints.size(); ++j)
    (static_cast<int>(j) < first_driven ? torques : accelerations).targets.push_back({model.joints[j].name, 0});
  set.sensors[0] = torques;
  set.sensors.push_back(accelerations);
  return set;
}

SampleState sample_without_wrenches(const System& system, std::mt19937& rng, double odd_torque, int odd) {
  SampleState s = random_sample(system, rng);
  for (std::size_t k = 0; k < s.y.size(); ++k) {
    const std::string& column = system.inputs()[k].columns.front();
    if (column.find(".air.") != std::string::npos) s.y[k] = 0;
    if (column.find("joints.joint" + std::to_string(odd)) != std::string::npos) s.y[k] *= odd_torque;
  }
  return s;
}

}  // namespace

TEST_CASE(
    "forward dynamics with one very light, short or long link agrees with ABA in long double, acceleration by acceleration") {
  for (const Chain& c : odd_chains()) {
    INFO(c);
    const Model model = chain(c);
    const auto system = std::make_shared<const System>(model, forward_dynamics_set());
    const auto plan = std::make_shared<const Plan>(recursive_plan(*system).value());
    Solver solver(system, plan, {{"ddq"}}), all(system, plan);
    Workspace<long double> work(model);
    std::vector<double> ddq(model.nv), x(plan->pattern.columns);
    std::mt19937 rng(5);
    for (int k = 0; k < 10; ++k) {
      const SampleState s = sample_without_wrenches(*system, rng, k % 2 ? 1.0 : c.mass * c.length * c.length, c.odd);
      const SolverStatus status = solver.solve(s.q.data(), s.v.data(), s.y.data(), ddq.data());
      INFO(solver.describe(status));
      REQUIRE(status.ok());
      CHECK(status.componentwise_error <= 1e-12);
      std::vector<long double> tau(model.nv), exact(model.nv);
      for (std::size_t i = 0; i < s.y.size(); ++i)  // joints, then the base, which comes first in v
        if (system->inputs()[i].columns.front().find(".air.") == std::string::npos)
          tau[(i + (c.floating ? 6 : 0)) % static_cast<std::size_t>(model.nv)] = s.y[i];
      REQUIRE(aba(model, work, in<long double>(s.q).data(), in<long double>(s.v).data(), tau.data(),
                  static_cast<const Force<long double>*>(nullptr), exact.data())
                  .ok());
      CHECK(worst_component(ddq.data(), exact) <= small_bound);
      REQUIRE(all.solve(s.q.data(), s.v.data(), s.y.data(), x.data()).ok());
      CHECK(worst_vector(*system, x.data(), solved_precisely(*system, *plan, s)) <= small_bound);
    }
    CHECK(solver.counts().dense == 0);
  }
}

TEST_CASE("inverse dynamics with one very light, short or long link agrees with RNEA in long double, torque by torque") {
  for (const Chain& c : odd_chains()) {
    INFO(c);
    const Model model = chain(c);
    const auto system = std::make_shared<const System>(model, inverse_dynamics_set());
    Solver solver(system, std::make_shared<const Plan>(recursive_plan(*system).value()), {{"tau"}});
    Workspace<long double> work(model);
    std::vector<double> tau(model.nv);
    std::mt19937 rng(6);
    for (int k = 0; k < 5; ++k) {
      const SampleState s = sample_without_wrenches(*system, rng, 1, c.odd);
      REQUIRE(solver.solve(s.q.data(), s.v.data(), s.y.data(), tau.data()).ok());
      std::vector<long double> a(model.nv), exact(model.nv);
      for (std::size_t i = 0; i < s.y.size(); ++i)
        if (system->inputs()[i].columns.front().find(".air.") == std::string::npos)
          a[(i + (c.floating ? 6 : 0)) % static_cast<std::size_t>(model.nv)] = s.y[i];
      rnea(model, work, in<long double>(s.q).data(), in<long double>(s.v).data(), a.data(),
           static_cast<const Force<long double>*>(nullptr), exact.data());
      CHECK(worst_component(tau.data(), exact) <= small_bound);
    }
  }
}

TEST_CASE("hybrid dynamics with one very light, short or long link agrees with long double, unknown by unknown") {
  for (const Chain& c : odd_chains()) {
    INFO(c);
    const Model model = chain(c);
    const auto system = std::make_shared<const System>(model, hybrid_set(model, c.floating ? 4 : 3));
    OptimiseOptions quick;
    quick.health_states = 20;
    const auto plan = std::make_shared<const Plan>(optimise(*system, quick).plan);
    CHECK(plan->health.accurate());
    Solver solver(system, plan);
    std::vector<double> x(plan->pattern.columns);
    std::mt19937 rng(7);
    for (int k = 0; k < 5; ++k) {
      const SampleState s = sample_without_wrenches(*system, rng, 1, c.odd);
      const SolverStatus status = solver.solve(s.q.data(), s.v.data(), s.y.data(), x.data());
      INFO(solver.describe(status));
      REQUIRE(status.ok());
      CHECK(worst_vector(*system, x.data(), solved_precisely(*system, *plan, s)) <= small_bound);
    }
  }
}

TEST_CASE(
    "estimates with one very light, short or long link agree with long double, unknown by unknown and residual by residual") {
  for (const Chain& c : odd_chains()) {
    INFO(c);
    const Model model = chain(c);
    const auto system = std::make_shared<const System>(model, redundant_set(c.floating));
    const auto plan = quick_plan(*system);
    const Samples samples = augmented_samples(*system, *plan, 6);
    ZeroFillLU<double> lu(plan->plan);
    std::vector<double> x(plan->plan.pattern.columns);
    for (int k = 0; k < 6; ++k) {
      samples.fill(k, lu.values(), lu.right_side());
      REQUIRE((lu.factor().ok() && lu.solve(x.data()).ok()));
      long steps = 0;
      CHECK(lu.improve(x.data(), lu.errors(x.data()), 1e-14, steps).componentwise <= 1e-14);
      CHECK(lu.vanishing_pivot(lu.values()) == -1);
      const std::vector<double> values(lu.values(), lu.values() + plan->plan.pattern.entries()),
          right_side(lu.right_side(), lu.right_side() + plan->plan.pattern.rows);
      CHECK(worst_component(x.data(), solved_precisely(plan->plan, in<long double>(values), in<long double>(right_side))) <=
            small_bound);
    }
  }
}

TEST_CASE("equations that hold no more than rounding are not called inaccurate") {
  // in free fall the joints of a resting robot have no torque and their links no proper acceleration
  TreeOptions tree;
  tree.floating = true;
  for (unsigned seed = 0; seed < 10; ++seed) {
    const Model model = random_tree(8, seed, tree);
    const auto system = std::make_shared<const System>(model, forward_dynamics_set());
    Solver solver(system, std::make_shared<const Plan>(recursive_plan(*system).value()), {{"ddq"}});
    std::mt19937 rng(seed);
    SampleState s = random_sample(*system, rng);
    std::fill(s.v.begin(), s.v.end(), 0.0);
    std::fill(s.y.begin(), s.y.end(), 0.0);
    std::vector<double> ddq(model.nv);
    const SolverStatus status = solver.solve(s.q.data(), s.v.data(), s.y.data(), ddq.data());
    INFO(solver.describe(status));
    REQUIRE(status.ok());
    CHECK(status.componentwise_error <= 1e-12);
    CHECK((solver.counts().dense == 0 && solver.counts().fallback_order == 0));
  }
}

TEST_CASE("testing doubtful pivots and refining allocate no memory") {
  Chain c;
  c.mass = 1e-15;
  const auto system = std::make_shared<const System>(chain(c), forward_dynamics_set());
  Solver solver(system, std::make_shared<const Plan>(recursive_plan(*system).value()), {{"ddq"}, 1e-17});
  std::mt19937 rng(1);
  const SampleState s = sample_without_wrenches(*system, rng, 1, c.odd);
  std::vector<double> out(solver.output_columns().size());
  CHECK(allocations_of([&] { solver.solve(s.q.data(), s.v.data(), s.y.data(), out.data()); }) == 0);
  CHECK(solver.counts().refined > 0);
}
