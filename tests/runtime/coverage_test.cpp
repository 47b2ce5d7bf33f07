// Estimates of simulated measurements: they err as much as their deviations say, and residuals as much as the noise does.
#include <cmath>

#include "determinacy/simulated_sensors.hpp"
#include "reference.hpp"
#include "sparsedyn/json/files.hpp"
#include "support/robots.hpp"

using namespace sparsedyn;

namespace {

struct Mix {
  const char* title;
  bool floating;
  const char* sensors;  // `$tip` is the last link
};

const Mix mixes[] = {
    {"torques, accelerations and wrenches, fixed base", false,
     R"({"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.3},
        {"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": 0.05},
        {"name": "skin", "type": "external_wrench", "link": "*", "sigma": [0.02, 0.02, 0.02, 0.4, 0.4, 0.4]})"},
    {"accelerometers and a load cell in offset frames, fixed base", false,
     R"({"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.2},
        {"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": 0.5},
        {"name": "imus", "type": "accelerometer", "link": "*", "xyz": [0.1, 0, 0.05], "rpy": [0.3, 0, 1], "sigma": 0.1},
        {"name": "air", "type": "external_wrench", "link": "*", "except": "$tip", "value": 0},
        {"name": "cells", "type": "load_cell", "link": "$tip", "xyz": [0, 0.02, 0], "rpy": [0, 0.4, 0],
         "sigma": [1, 0.05, 0.05]},
        {"name": "friction", "type": "external_wrench", "link": "$tip", "components": ["nz", "fx", "fy"], "sigma": 2})"},
    {"a wrench measured at the tip and the base's acceleration, floating base", true,
     R"({"name": "free", "type": "joint_torque", "joint": "base", "value": 0},
        {"name": "air", "type": "external_wrench", "link": "*", "except": "$tip", "value": 0},
        {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.3},
        {"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": 0.05},
        {"name": "base", "type": "joint_acceleration", "joint": "base", "sigma": 0.2},
        {"name": "grip", "type": "external_wrench", "link": "$tip", "sigma": [0.1, 0.1, 0.1, 2, 2, 2]})"},
    {"the centre of mass, the momentum and an accelerometer, floating base", true,
     R"({"name": "free", "type": "joint_torque", "joint": "base", "value": 0},
        {"name": "air", "type": "external_wrench", "link": "*", "except": "$tip", "value": 0},
        {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.3},
        {"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": 0.1},
        {"name": "imu", "type": "accelerometer", "link": "$tip", "sigma": 0.1},
        {"name": "com", "type": "com_acceleration", "sigma": 0.05},
        {"name": "momentum", "type": "momentum_rate", "sigma": 0.5})"},
};

std::shared_ptr<const System> system_of(const Mix& mix) {
  test::TreeOptions tree;
  tree.floating = mix.floating;
  const Model model = test::random_tree(6, 21, tree);
  std::string text = std::string("{\"sensors\": [") + mix.sensors + "]}";
  const std::string tip = model.links[model.leading_link(static_cast<int>(model.bodies.size()) - 1)].name;
  for (std::size_t at; (at = text.find("$tip")) != std::string::npos;) text.replace(at, 4, tip);
  return std::make_shared<const System>(model, parse_sensor_set(text, "mix"));
}

/// A random state, the unknowns that go with it, and what the sensors read of them with and without noise.
class Truth {
 public:
  explicit Truth(const System& system)
      : system_(system), simulated_(system, std::vector<char>(system.pattern().columns, 0)), x(system.pattern().columns) {}

  void draw(std::mt19937& rng) {
    std::normal_distribution<double> normal;
    std::vector<double> wish(x.size());
    state = test::random_sample(system_, rng);
    for (double& w : wish) w = normal(rng);
    REQUIRE(simulated_.read(state.q.data(), state.v.data(), wish.data(), x.data(), state.y.data()) < 1e-9);
    for (const Measurement& m : system_.measurements())
      for (int k = 0; k < m.rows(); ++k)
        if (m.inputs[k] >= 0) state.y[m.inputs[k]] += simulated_.gain()[m.inputs[k]] * m.sigma[k] * normal(rng);
  }

 private:
  const System& system_;
  SimulatedSensors simulated_;

 public:
  std::vector<double> x;
  test::SampleState state;
};

/// |found − expected| within four standard deviations.
void check_near(double found, double expected, double deviation) {
  INFO(found << " for " << expected << " ± " << deviation);
  CHECK(std::abs(found - expected) < 4 * deviation);
}

void check_mix(const Mix& mix) {
  constexpr int samples = 300;
  constexpr double inside = 0.9545;  // of a normal variable, within two deviations
  INFO(mix.title);
  const auto system = system_of(mix);
  EstimatorOptions options = test::with_deviations();
  options.innovations = true;
  Estimator estimator(system, test::quick_plan(*system), options);
  const std::vector<double>& sd = estimator.standard_deviations();
  std::vector<double> out(estimator.output_columns().size());
  Truth truth(*system);
  std::mt19937 rng(5);
  int covered = 0, rows = 0, redundancy = 0;
  double chi_square = 0, innovation = 0;
  for (int s = 0; s < samples; ++s) {
    truth.draw(rng);
    const EstimateStatus status =
        estimator.estimate(truth.state.q.data(), truth.state.v.data(), truth.state.y.data(), out.data());
    REQUIRE(status.ok());
    chi_square += status.chi_square, redundancy = status.redundancy;
    for (double w : estimator.innovations()) innovation += w * w, rows += w != 0;
    std::size_t c = rng() % out.size();  // one component a sample: independent trials
    while (sd[c] < 1e-6) c = rng() % out.size();
    covered += std::abs(out[c] - truth.x[c]) <= 2 * sd[c];
  }
  REQUIRE(redundancy > 0);
  check_near(covered, inside * samples, std::sqrt(samples * inside * (1 - inside)));
  check_near(chi_square / samples, redundancy, std::sqrt(2.0 * redundancy / samples));
  check_near(innovation / rows, 1.0, std::sqrt(2.0 / (samples * redundancy)));  // as many independent ones as redundancies
}

}  // namespace

TEST_CASE("errors and residuals of simulated noise are as large as the set states") {
  for (const Mix& mix : mixes) check_mix(mix);
}
