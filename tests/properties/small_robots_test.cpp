// A robot of millimetres and micrograms beside the same one of metres and kilograms: what sensors say of it, at rest
// too.
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "runtime/redundant_set.hpp"
#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/runtime/estimator.hpp"
#include "support/rest_cases.hpp"
#include "support/robots.hpp"
#include "support/scaled_robot.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

constexpr double length = 1e-3, mass = 1e-9, force = mass * length, torque = force * length;

/// What a number of this quantity is of the small robot's, by its column or sensor.
double unit_of(const std::string& name) {
  if (name.rfind("ddq", 0) == 0 || name.rfind("encoders", 0) == 0) return 1;
  const std::size_t component = name.rfind(".f");
  return name.rfind("tau", 0) != 0 && component != std::string::npos && component + 3 == name.size() ? force : torque;
}

/// Of an input's columns the one that is not named after its sensor.
std::string quantity(const std::vector<std::string>& columns) {
  for (const std::string& column : columns)
    if (column.rfind("y.", 0) != 0) return column;
  FAIL("no column of a quantity");
  return {};
}

SensorSet small(SensorSet set) {
  for (Sensor& s : set.sensors)
    for (std::size_t k = 0; k < s.sigma.size(); ++k)
      s.sigma[k] *= s.type == "external_wrench" && k >= 3 ? force : unit_of(s.name);
  return set;
}

/// An Estimator and its last answer.
struct Answered {
  Answered(const Model& model, const SensorSet& set) : system(std::make_shared<const System>(model, set)) {
    OptimiseOptions quick;
    quick.health_states = 20, quick.umfpack_states = 1;
    EstimatorOptions options;
    options.outputs = {"tau", "ddq"}, options.standard_deviations = true;
    estimator = std::make_unique<Estimator>(system, plan_estimator(*system, {}, quick), options);
    out.resize(estimator->output_columns().size());
  }
  void answer(const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& y) {
    status = estimator->estimate(q.data(), v.data(), y.data(), out.data());
    INFO(estimator->describe(status));
    REQUIRE(status.ok());
  }
  std::shared_ptr<const System> system;
  std::unique_ptr<Estimator> estimator;
  std::vector<double> out;
  EstimateStatus status;
};

void check_equal(const Answered& x, const Answered& y) {
  const std::vector<std::string>& names = x.estimator->output_columns();
  double largest[2] = {0, 0};
  for (std::size_t c = 0; c < names.size(); ++c) {
    double& size = largest[unit_of(names[c]) == 1];
    size = std::max(size, std::abs(x.out[c]));
  }
  for (std::size_t c = 0; c < names.size(); ++c) {
    const double unit = unit_of(names[c]), sd = x.estimator->standard_deviations()[c];
    INFO(names[c]);
    CHECK(std::abs(y.out[c] / unit - x.out[c]) <= 1e-10 * std::max(1.0, largest[unit == 1]));
    CHECK(std::abs(y.estimator->standard_deviations()[c] / unit - sd) <= 1e-9 * sd);
  }
  CHECK(y.status.redundancy == x.status.redundancy);
  CHECK(std::abs(y.status.chi_square - x.status.chi_square) <= 1e-9 * std::max(1.0, x.status.chi_square));
}

}  // namespace

TEST_CASE("a robot of millimetres is estimated as one of metres, at rest too") {
  TreeOptions hinges;
  hinges.kinds = {JointKind::revolute};
  const Model model = random_tree(7, 12, hinges), tiny = in_masses(in_lengths(model, length), mass);
  const SensorSet set = redundant_set(false);
  Answered x(model, set), y(tiny, small(set));
  std::mt19937 rng(4);
  std::normal_distribution<double> normal;
  Workspace<double> work(model);
  for (const RestCase& c : rest_cases(model, false, rng))
    for (const double noise : {0.0, 1.0}) {
      CAPTURE(c.name, noise);
      std::vector<double> a(static_cast<std::size_t>(model.nv));
      REQUIRE(aba(model, work, c.q.data(), c.v.data(), c.tau.data(), no_wrenches, a.data()).ok());
      std::vector<double> reading = readings(*x.system, c.tau, a), of_tiny(reading.size());
      for (std::size_t k = 0; k < reading.size(); ++k) {
        const std::string column = quantity(x.system->inputs()[k].columns);
        const double unit = unit_of(column);
        reading[k] += noise * 0.1 * normal(rng);
        of_tiny[k] = unit * reading[k];
      }
      x.answer(c.q, c.v, reading), y.answer(c.q, c.v, of_tiny);
      check_equal(x, y);
      const std::size_t missing = rng() % (2 * static_cast<std::size_t>(model.nv));  // a torque or an acceleration
      reading[missing] = of_tiny[missing] = std::nan("");
      x.answer(c.q, c.v, reading), y.answer(c.q, c.v, of_tiny);
      check_equal(x, y);
      CHECK(y.status.missing == 1);
    }
}
