// States at which the first order of an estimator's plan loses a pivot: the plan's second order answers.
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "reference.hpp"
#include "runtime/system_samples.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/robots.hpp"
#include "support/states.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

Sensor with_sigma(Sensor sensor, double sigma) {
  sensor.sigma = {sigma};
  return sensor;
}

Sensor of(const char* type, const char* name, const char* target) {
  Sensor made;
  made.type = type, made.name = name;
  made.all = target == std::string("*");
  if (!made.all) made.targets = {{target}};
  return made;
}

/// A humanoid on two feet, whose wrenches are unknown.
std::shared_ptr<const System> standing_humanoid() {
  LoadOptions floating;
  floating.floating = true;
  SensorSet set;
  Sensor air = of("external_wrench", "air", "*"), free = of("joint_torque", "free", "base");
  air.except = {{"l_sole"}, {"r_sole"}}, air.value = free.value = {0.0};
  set.unknown = {{"fx.l_sole"}, {"fx.r_sole"}};
  set.sensors = {air, free, with_sigma(of("joint_acceleration", "encoders", "*"), 0.3),
                 with_sigma(of("joint_torque", "motors", "*"), 0.5), with_sigma(of("accelerometer", "imu", "pelvis"), 0.1)};
  return std::make_shared<const System>(load_urdf(source_folder() + "/robots/humanoid.urdf", floating), set);
}

}  // namespace

TEST_CASE("an estimator without gaps goes on to the plan's second order where the first one loses a pivot") {
  const auto system = standing_humanoid();
  const std::shared_ptr<const EstimatorPlan> plan = plan_estimator(*system);
  REQUIRE(plan->gaps.size() == 1);
  CHECK(std::count(plan->gaps[0]->left_out.begin(), plan->gaps[0]->left_out.end(), char(1)) == 0);
  auto alone = std::make_shared<EstimatorPlan>(*plan);
  alone->gaps.clear(), alone->missing_data.reset();
  const EstimatorOptions options;  // every unknown
  Estimator first(system, alone, options), both(system, plan, options), second(system, plan->gaps[0], options);
  const Samples samples = samples_of(*system);
  std::mt19937 rng(1);
  std::vector<double> a(both.output_columns().size()), b(a), c(a);
  int helped = 0;
  for (int s = samples.random; s < samples.count && helped < 3; ++s) {
    SampleState x = random_sample(*system, rng);
    x.q = samples.state(s);
    if (first.estimate(x.q.data(), x.v.data(), x.y.data(), a.data()).ok()) continue;
    if (!both.estimate(x.q.data(), x.v.data(), x.y.data(), b.data()).ok()) continue;
    ++helped;
    REQUIRE(second.estimate(x.q.data(), x.v.data(), x.y.data(), c.data()).ok());
    CHECK(norm_error(b, c) < 1e-12);
    const DenseEstimate dense = reference(*system, x, sigmas(both));
    for (std::size_t j = 0; j < b.size(); ++j)
      CHECK(std::abs(b[j] - dense.x[static_cast<int>(j)]) <= 1e-6 * std::max(1.0, std::abs(b[j])));
  }
  CHECK(helped == 3);
  const Plan stored = stored_plan(*plan);
  REQUIRE(stored.gaps.size() == 1);
  CHECK(stored.gaps[0].missing.empty());
  CHECK(plan_estimator(*system, stored)->gaps.size() == 1);
}
