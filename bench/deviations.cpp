// What all deviations and innovations cost beside the plain estimate, assembly included: one call of Estimator::estimate, and a
// row of a log, prepared and taken in lanes. Sets of the humanoid that ships, of an arm and, where shared/ is there, of an iCub
// with its own sensors.
#include <benchmark/benchmark.h>

#include <array>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "model/samples.hpp"
#include "sensor_sets.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/runtime/estimator.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/robots.hpp"

namespace {

using namespace sparsedyn;

/// Nothing touches the robot but the ground under its soles, and the base has no motor.
const char* const standing = R"({"sensors": [
  {"name": "free", "type": "joint_torque", "joint": "base", "value": 0},
  {"name": "air", "type": "external_wrench", "link": "*", "except": ["l_sole", "r_sole"], "value": 0},
  {"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": 0.3},
  {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.5},
  {"name": "imu", "type": "accelerometer", "link": "$base", "sigma": 0.1},
  {"name": "soles", "type": "external_wrench", "link": ["l_sole", "r_sole"], "sigma": [0.1, 0.1, 0.1, 2, 2, 2]}$more]})";

constexpr int states = 16;  // cycled through, so that no branch predictor knows the numbers

struct Case {
  std::shared_ptr<const System> system;
  std::shared_ptr<const EstimatorPlan> plan;
  std::vector<std::vector<double>> q, v, y;
};

std::shared_ptr<const Case> make_case(const Model& model, const std::string& set) {
  auto made = std::make_shared<Case>();
  made->system = std::make_shared<const System>(model, parse_sensor_set(set, "set"));
  made->plan = plan_estimator(*made->system);
  std::mt19937 rng(1);
  std::normal_distribution<double> normal;
  const auto draw = [&](std::size_t n) {
    std::vector<double> x(n);
    for (double& value : x) value = normal(rng);
    return x;
  };
  for (int s = 0; s < states; ++s) {
    made->q.push_back(normal_sample(model, rng));
    made->v.push_back(draw(static_cast<std::size_t>(model.nv)));
    made->y.push_back(draw(made->system->inputs().size()));
  }
  return made;
}

EstimatorOptions options_of(const Case& of, bool deviations, bool innovations, bool in_batches) {
  EstimatorOptions options;
  options.outputs = default_outputs(*of.system);
  options.standard_deviations = deviations, options.innovations = innovations, options.in_batches = in_batches;
  return options;
}

void one_by_one(benchmark::State& state, const std::shared_ptr<const Case>& of, bool deviations, bool innovations) {
  Estimator estimator(of->system, of->plan, options_of(*of, deviations, innovations, false));
  std::vector<double> out(estimator.output_columns().size());
  std::size_t s = 0;
  bool ok = true;
  for (auto _ : state) {
    ok = estimator.estimate(of->q[s].data(), of->v[s].data(), of->y[s].data(), out.data()).ok() && ok;
    benchmark::DoNotOptimize(out.data());
    s = (s + 1) % states;
  }
  if (!ok) state.SkipWithError("a sample failed");
  state.counters["outputs"] = static_cast<double>(out.size());
}

void in_lanes(benchmark::State& state, const std::shared_ptr<const Case>& of, bool deviations, bool innovations) {
  Estimator estimator(of->system, of->plan, options_of(*of, deviations, innovations, true));
  std::vector<double> out(estimator.output_columns().size());
  std::size_t s = 0;
  bool ok = true;
  while (state.KeepRunningBatch(Batch::lanes)) {
    std::array<Estimator::Inputs, Batch::lanes> inputs;
    for (std::size_t k = 0; k < inputs.size(); ++k) inputs[k] = {of->q[s + k].data(), of->v[s + k].data(), of->y[s + k].data()};
    estimator.prepare(inputs.data(), Batch::lanes);
    for (int k = 0; k < Batch::lanes; ++k) ok = estimator.take(k, out.data()).ok() && ok;
    benchmark::DoNotOptimize(out.data());
    s = (s + Batch::lanes) % states;
  }
  if (!ok) state.SkipWithError("a sample failed");
}

void add(const std::string& name, const std::shared_ptr<const Case>& of) {
  for (const bool lanes : {false, true})
    for (const auto& [wish, deviations, innovations] :
         {std::make_tuple("plain", false, false), std::make_tuple("sd", true, false),
          std::make_tuple("sd+innovations", true, true)}) {
      const std::string full = name + (lanes ? "/lanes/" : "/") + wish;
      benchmark::RegisterBenchmark(full.c_str(), [=, d = deviations, i = innovations](benchmark::State& state) {
        lanes ? in_lanes(state, of, d, i) : one_by_one(state, of, d, i);
      });
    }
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  return text.replace(text.find(what), what.size(), by);
}

}  // namespace

int main(int argc, char** argv) {
  LoadOptions options;
  add("arm", make_case(load_urdf(test::source_folder() + "/robots/arm.urdf", options), bench::gauged));
  options.floating = true;
  const auto on_feet = [](const std::string& base, const std::string& more) {
    return replaced(replaced(standing, "$base", base), "$more", more);
  };
  add("humanoid", make_case(load_urdf(test::source_folder() + "/robots/humanoid.urdf", options), on_feet("pelvis", "")));
  for (const std::string& path : test::shared_robots())
    if (path.find("/icub.urdf") != std::string::npos)
      add("icub", make_case(load_urdf(path, options), on_feet("root_link", bench::sensors_of(path))));
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
