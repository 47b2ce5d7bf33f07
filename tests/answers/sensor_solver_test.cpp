// SensorSolver: it answers as the Solver and the Estimator do, says what it cannot answer, and takes no memory in a loop.
#include "sparsedyn/answers/sensor_solver.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "determinacy/simulated_sensors.hpp"
#include "model/samples.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/json/plans.hpp"
#include "sparsedyn/planning/search.hpp"
#include "sparsedyn/runtime/gap_closer.hpp"
#include "sparsedyn/runtime/make_solver.hpp"
#include "support/heap.hpp"
#include "support/robots.hpp"
#include "support/systems.hpp"

using namespace sparsedyn;
using Catch::Contains;
using sparsedyn::test::on_all;

namespace {

constexpr double gap = std::numeric_limits<double>::quiet_NaN();

/// Torques read three times, once with an offset, and accelerations.
std::shared_ptr<const System> gauged(bool biased = false) {
  SensorSet set;
  set.name = "gauged";
  set.sensors = {on_all("motors", "joint_torque", 0.3, biased), on_all("gauges", "joint_torque", 0.3),
                 on_all("cells", "joint_torque", 0.3), on_all("encoders", "joint_acceleration", 1.0),
                 on_all("air", "external_wrench", 0)};
  return std::make_shared<const System>(test::random_tree(4, 9), set);
}

/// Consistent readings at random states, with noise of the stated deviations.
struct Recording {
  std::vector<double> q, v, y;
  long count = 0;
  SampleRows rows() const { return {q.data(), v.data(), y.data(), count}; }
};

Recording recorded(const System& system, long count) {
  const Model& model = system.model();
  std::mt19937 rng(3);
  std::normal_distribution<double> normal;
  SimulatedSensors sensors(system, std::vector<char>(system.unknowns().size(), 0));
  Recording made;
  made.count = count;
  for (long s = 0; s < count; ++s) {
    const std::vector<double> q = normal_sample(model, rng);
    std::vector<double> v(static_cast<std::size_t>(model.nv)), y(system.inputs().size());
    std::vector<double> wish(system.unknowns().size(), 0.0), x(wish);
    for (double& each : v) each = normal(rng);
    for (int j = 0; j < model.nv; ++j) wish[static_cast<std::size_t>(system.ddq_column(j))] = normal(rng);
    sensors.read(q.data(), v.data(), wish.data(), x.data(), y.data());
    for (const Measurement& m : system.measurements())
      for (int k = 0; k < m.rows(); ++k)
        if (m.inputs[k] >= 0) y[static_cast<std::size_t>(m.inputs[k])] += m.sigma[k] * normal(rng);
    made.q.insert(made.q.end(), q.begin(), q.end());
    made.v.insert(made.v.end(), v.begin(), v.end());
    made.y.insert(made.y.end(), y.begin(), y.end());
  }
  return made;
}

/// NaN equal to NaN.
bool same(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t k = 0; k < a.size(); ++k)
    if (!(a[k] == b[k] || (std::isnan(a[k]) && std::isnan(b[k])))) return false;
  return true;
}

SensorSolverOptions searched() {
  SensorSolverOptions options;
  options.plans = searched_plans();
  return options;
}

}  // namespace

TEST_CASE("a set that determines the dynamics is solved: as make_solver's Solver does, without a search or heap") {
  const Model model = test::random_tree(6, 2);
  const SensorSet set = load_sensor_set(GENERATE("inverse-dynamics", "forward-dynamics"));
  SensorSolver solver(model, set);
  CHECK_FALSE(solver.report().estimated);
  CHECK_FALSE(solver.takes_gaps());
  SolverOptions same_outputs;
  same_outputs.outputs = default_outputs(solver.system());
  Solver reference = make_solver(model, set, same_outputs);
  REQUIRE(solver.columns() == reference.output_columns());
  const Recording log = recorded(solver.system(), 20);
  const std::size_t nq = static_cast<std::size_t>(model.nq), nv = static_cast<std::size_t>(model.nv),
                    inputs = solver.system().inputs().size();
  std::vector<double> found(solver.columns().size()), expected(found);
  for (std::size_t s = 0; s < 20; ++s) {
    const double *q = &log.q[s * nq], *v = &log.v[s * nv], *y = &log.y[s * inputs];
    Answer answer;
    CHECK(test::allocations_of([&] { answer = solver.solve(q, v, y, found.data()); }) == 0);
    CHECK(answer.ok);
    CHECK_FALSE(answer.failed);
    CHECK(solver.describe().empty());
    REQUIRE(reference.solve(q, v, y, expected.data()).ok());
    CHECK(same(found, expected));
  }
}

TEST_CASE("a set that knows more is estimated: as the Estimator does, gaps and all, without heap once a gap was seen") {
  const auto system = gauged();
  SensorSolverOptions options = searched();
  options.outputs = {"tau", "ddq"}, options.deviations = options.innovations = true;
  options.huber = GENERATE(0.0, 3.0);
  SensorSolver solver(system, options);
  REQUIRE(solver.takes_gaps());
  EstimatorOptions same_options;
  same_options.outputs = options.outputs, same_options.standard_deviations = same_options.innovations = true;
  same_options.huber = options.huber;
  const GapCloser closer(system);
  same_options.close_gaps = [&](const std::vector<char>& missing) { return closer.close(missing); };
  Estimator reference(system, plan_estimator(*system), same_options);
  const std::size_t outputs = solver.outputs(), nq = static_cast<std::size_t>(system->model().nq),
                    nv = static_cast<std::size_t>(system->model().nv), inputs = system->inputs().size();
  REQUIRE(reference.output_columns() == std::vector<std::string>(solver.columns().begin(), solver.columns().begin() + outputs));
  CHECK(solver.columns()[outputs] == "sd." + solver.columns()[0]);
  CHECK(solver.columns()[2 * outputs] == "chi2");
  Recording log = recorded(*system, 30);
  std::vector<double> found(solver.columns().size()), expected(outputs);
  for (std::size_t s = 0; s < 30; ++s) {
    const double *q = &log.q[s * nq], *v = &log.v[s * nv];
    double* y = &log.y[s * inputs];
    if (s % 3 == 1) y[1] = gap;
    Answer answer;
    const long taken = test::allocations_of([&] { answer = solver.solve(q, v, y, found.data()); });
    if (s > 4) CHECK(taken == 0);
    REQUIRE(answer.ok);
    const EstimateStatus status = reference.estimate(q, v, y, expected.data());
    REQUIRE(status.ok());
    CHECK(std::equal(expected.begin(), expected.end(), found.begin()));
    for (std::size_t c = 0; c < outputs; ++c) CHECK(found[outputs + c] == reference.standard_deviations()[c]);
    CHECK(found[2 * outputs] == status.chi_square);
    CHECK(answer.outlier == status.outlier);
  }
  const SolveReport report = solver.report();
  CHECK(report.estimated);
  CHECK(report.with_gaps == 10);
  CHECK(report.bounded == (options.huber > 0));
  REQUIRE(report.innovations.size() == 4);
  CHECK(report.innovations[0].sensor == "motors");
  CHECK(report.innovations[0].rms > 0.5);
  CHECK(report.innovations[0].rms < 2);
}

TEST_CASE("batches: to the last bit the same for any number of threads, and as sample by sample") {
  const auto system = gauged();
  SensorSolverOptions options = searched();
  options.outputs = {"tau"}, options.deviations = true;
  const long count = 1000;
  Recording log = recorded(*system, count);
  const std::size_t inputs = system->inputs().size();
  for (std::size_t s = 0; s < static_cast<std::size_t>(count); s += 7) log.y[s * inputs + s % 4] = gap;
  log.y[500 * inputs + 2] = std::numeric_limits<double>::infinity();
  SensorSolver one(system, options);
  REQUIRE(one.set_sigma(system->measurements()[0].first_row, 0.7));  // the threads' solvers have it, too
  const std::size_t columns = one.columns().size();
  std::vector<double> alone(columns * count, 0.0), few(alone), many(alone);
  const auto failed = one.solve_batch(log.rows(), alone.data(), 1);
  one.solve_batch(log.rows(), few.data(), 2);
  const auto failed_too = one.solve_batch(log.rows(), many.data(), 5);
  CHECK(same(alone, few));
  CHECK(same(alone, many));
  REQUIRE(failed.size() == 1);
  CHECK(failed[0].sample == 500);
  CHECK_FALSE(failed[0].why.empty());
  REQUIRE(failed_too.size() == 1);
  CHECK(failed_too[0].why == failed[0].why);
  CHECK(std::isnan(alone[500 * columns]));
  std::vector<double> row(columns);
  for (std::size_t s : {0u, 7u, 499u, 999u}) {
    REQUIRE(one.solve(&log.q[s * 4], &log.v[s * 4], &log.y[s * inputs], row.data()).ok);
    CHECK(same(row, {alone.begin() + static_cast<long>(s * columns), alone.begin() + static_cast<long>((s + 1) * columns)}));
  }
}

TEST_CASE("offsets are learnt from a batch, and taken off") {
  const auto system = gauged(true);
  SensorSolverOptions options = searched();
  options.outputs = {"tau"};
  SensorSolver solver(system, options);
  const long count = 2000;
  Recording log = recorded(*system, count);
  const std::size_t inputs = system->inputs().size();
  const double offset[] = {2, -1, 0.5, 3};
  for (std::size_t s = 0; s < static_cast<std::size_t>(count); ++s)
    for (std::size_t k = 0; k < 4; ++k) log.y[s * inputs + k] += offset[k];
  REQUIRE(solver.learning());
  std::vector<double> out(solver.columns().size() * count);
  CHECK(solver.solve_batch(log.rows(), out.data(), 0).empty());
  CHECK_FALSE(solver.learning());
  const SolveReport report = solver.report();
  REQUIRE(report.offsets.size() == 4);
  CHECK(report.offset_covariance.size() == 16);
  for (std::size_t k = 0; k < 4; ++k) {
    CHECK(report.offsets[k].determined);
    CHECK(std::abs(report.offsets[k].value - offset[k]) < 5 * report.offsets[k].deviation);
    CHECK(report.offsets[k].deviation < 0.02);
    CHECK(report.offset_covariance[5 * k] == Approx(std::pow(report.offsets[k].deviation, 2)));
  }
}

TEST_CASE("plans: known orders, a value, a file's text, a search") {
  const auto system = gauged();
  CHECK_THROWS_AS(SensorSolver(system), NoPlan);  // no order of an estimate is known beforehand
  SensorSolverOptions options;
  options.outputs = {"tau"};
  options.plans = stored_plan(*plan_estimator(*system));
  CHECK(SensorSolver(system, options).report().estimated);
  const std::string text = plan_to_json(stored_plan(*plan_estimator(*system)), {"arm", "gauged"});
  options.plans = {};
  options.plans.stored = plan_in_text(text, "p.json");
  const SolverMaking making = SensorSolver(system, options).report().making;
  CHECK_FALSE(making.plan_of_other_numbers);
  CHECK_FALSE(making.plan_is_weak);

  const auto other = std::make_shared<const System>(test::random_tree(5, 9), system->sensors());
  CHECK_THROWS_WITH(SensorSolver(other, options), Contains("p.json: a plan made for arm with gauged"));
  const auto solved = std::make_shared<const System>(system->model(), load_sensor_set("inverse-dynamics"));
  CHECK_THROWS_AS(SensorSolver(solved, options), PlanMismatch);

  // an order that solves, where deviations are wanted, is no order of an estimate
  options.plans = optimise(*solved).plan;
  CHECK_FALSE(SensorSolver(solved, options).report().estimated);
  options.deviations = true;
  CHECK_THROWS_AS(SensorSolver(solved, options), PlanMismatch);
  options.plans.search = searched_plans().search;
  CHECK(SensorSolver(solved, options).report().making.plan_solves_only);

  // other numbers of the same structure
  Model heavier = system->model();
  heavier.bodies[2].inertia.m *= 2;
  options.plans.stored = plan_in_text(text, "p.json"), options.deviations = false;
  CHECK(SensorSolver(heavier, system->sensors(), options).report().making.plan_of_other_numbers);
}

TEST_CASE("outputs that the sensors leave open: refused by name, else left out and said") {
  SensorSet set;
  set.name = "blind";
  set.sensors = {on_all("encoders", "joint_acceleration", 0.1)};  // nothing is known of wrenches, so of torques
  const auto system = std::make_shared<const System>(test::random_tree(3, 1), set);
  SensorSolverOptions options = searched();
  SensorSolver solver(system, options);
  CHECK(solver.report().making.left_out.size() == 3);
  CHECK(solver.columns().size() == 3);
  options.outputs = {"tau"};
  try {
    SensorSolver refused(system, options);
    FAIL("expected UndeterminedOutputs");
  } catch (const UndeterminedOutputs& open) {
    CHECK(open.by_name);
    CHECK(open.outputs.size() == 3);
    CHECK_THAT(open.what(), Contains("the sensors do not determine tau."));
  }
  options.outputs = {"tua"};
  CHECK_THROWS_AS(SensorSolver(system, options), UnknownOutput);
}

TEST_CASE("a robot without the inertia for an answer: every sample fails, and the joint is named") {
  Model model = test::random_tree(3, 1);
  model.bodies.back().inertia = {};
  SensorSolver solver(model, load_sensor_set("forward-dynamics"));
  std::vector<double> q(3), v(3), y(solver.system().inputs().size()), out(solver.columns().size());
  const Answer answer = solver.solve(q.data(), v.data(), y.data(), out.data());
  CHECK_FALSE(answer.ok);
  CHECK(answer.failed);
  CHECK_THAT(solver.describe(), Contains("ddq."));
  CHECK(solver.report().strategy.empty());
}
