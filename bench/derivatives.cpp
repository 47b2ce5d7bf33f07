// Derivatives of what a sensor set tells, beside the solve or estimate that they are of: all of ∂x/∂(q, v), x every unknown,
// and those of the torques alone, which the transposed solves serve; and the gradient of one sum.
//   bench_derivatives [--benchmark_filter=icub]
#include <benchmark/benchmark.h>

#include <filesystem>
#include <random>

#include "model/samples.hpp"
#include "sensor_sets.hpp"
#include "sparsedyn/dynamics/regressor.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/runtime/estimator.hpp"
#include "sparsedyn/runtime/make_solver.hpp"
#include "sparsedyn/urdf/load.hpp"

namespace {

using namespace sparsedyn;

/// A state and readings.
struct DerivativeSample {
  std::vector<double> q, v, y;
};

DerivativeSample sample_of(const System& system) {
  std::mt19937 rng(1);
  std::normal_distribution<double> normal;
  DerivativeSample s{normal_sample(system.model(), rng), std::vector<double>(static_cast<std::size_t>(system.model().nv)),
                     std::vector<double>(system.inputs().size())};
  for (double& x : s.v) x = normal(rng);
  for (double& x : s.y) x = normal(rng);
  return s;
}

SolverStatus answer(Solver& solver, const DerivativeSample& s, double* out) {
  return solver.solve(s.q.data(), s.v.data(), s.y.data(), out);
}
SolverStatus answer(Estimator& estimator, const DerivativeSample& s, double* out) {
  return estimator.estimate(s.q.data(), s.v.data(), s.y.data(), out);
}

template <class Runtime>
void time_answers(benchmark::State& state, Runtime& runtime) {
  const DerivativeSample s = sample_of(runtime.system());
  std::vector<double> out(runtime.output_columns().size());
  bool ok = true;
  for (auto _ : state) ok = answer(runtime, s, out.data()).ok() && ok;
  if (!ok) state.SkipWithError("the state has no answer");
}

enum class Wanted { state, everything, gradient };

template <class Runtime>
void time_derivatives(benchmark::State& state, Runtime& runtime, Wanted wanted, DerivativeMode mode) {
  const System& system = runtime.system();
  const DerivativeSample s = sample_of(system);
  const std::size_t outputs = runtime.output_columns().size(), nv = static_cast<std::size_t>(system.model().nv);
  const auto parameters = static_cast<std::size_t>(ParameterIndex(system.model()).count);
  std::vector<double> out(outputs), weight(outputs, 1.0), dq(outputs * nv), dv(dq), dy(outputs * system.inputs().size()),
      dp(outputs * parameters);
  DerivativeArrays into{dq.data(), dv.data()};
  if (wanted != Wanted::state) into.dy = dy.data(), into.dp = dp.data();
  bool ok = answer(runtime, s, out.data()).ok();
  for (auto _ : state)
    ok = (wanted == Wanted::gradient ? runtime.gradient(weight.data(), into) : runtime.derivatives(into, mode)).ok() && ok;
  if (!ok) state.SkipWithError("the state has no derivatives");
  state.counters["directions"] =
      static_cast<double>(wanted == Wanted::state ? 2 * nv : 2 * nv + dy.size() / outputs + parameters);
  state.counters["outputs"] = static_cast<double>(outputs);
}

template <class Runtime>
void add(const std::string& name, std::shared_ptr<Runtime> all, std::shared_ptr<Runtime> torques) {
  using benchmark::RegisterBenchmark;
  RegisterBenchmark((name + "/answer").c_str(), [=](benchmark::State& s) { time_answers(s, *all); });
  RegisterBenchmark((name + "/all_by_state").c_str(),
                    [=](benchmark::State& s) { time_derivatives(s, *all, Wanted::state, DerivativeMode::forward); });
  RegisterBenchmark((name + "/torques_by_state").c_str(),
                    [=](benchmark::State& s) { time_derivatives(s, *torques, Wanted::state, DerivativeMode::automatic); });
  RegisterBenchmark((name + "/torques_by_everything").c_str(),
                    [=](benchmark::State& s) { time_derivatives(s, *torques, Wanted::everything, DerivativeMode::automatic); });
  RegisterBenchmark((name + "/gradient_by_everything").c_str(),
                    [=](benchmark::State& s) { time_derivatives(s, *torques, Wanted::gradient, DerivativeMode::adjoint); });
}

void add_estimated(const std::string& name, const std::string& path, const SensorSet& set) {
  LoadOptions load;
  load.floating = true;
  const auto system = std::make_shared<const System>(load_urdf(path, load), set);
  const auto plan = plan_estimator(*system);
  const auto estimator = [&](std::vector<std::string> outputs) {
    EstimatorOptions options;
    options.outputs = std::move(outputs), options.derivatives = true;
    return std::make_shared<Estimator>(system, plan, options);
  };
  add(name, estimator({}), estimator({"tau"}));
}

void add_solved(const std::string& name, const std::string& path, bool floating) {
  LoadOptions load;
  load.floating = floating;
  const Model model = load_urdf(path, load);
  const auto solver = [&](std::vector<std::string> outputs, const char* set) {
    SolverOptions options;
    options.outputs = std::move(outputs), options.derivatives = true;
    return std::make_shared<Solver>(make_solver(model, load_sensor_set(set), options));
  };
  add(name, solver({}, "forward-dynamics"), solver({"ddq"}, "forward-dynamics"));
}

/// Everything measured on two feet; `more`: other sensors.
SensorSet on_two_feet(const std::string& more) {
  return parse_sensor_set(R"({"name": "two feet", "sensors": [
    {"name": "free", "type": "joint_torque", "joint": "base", "value": 0},
    {"name": "air", "type": "external_wrench", "link": "*", "except": ["l_sole", "r_sole"], "value": 0},
    {"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": 0.3},
    {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.5},
    {"name": "soles", "type": "external_wrench", "link": ["l_sole", "r_sole"], "sigma": [0.1, 0.1, 0.1, 2, 2, 2]})" +
                              more + "]}",
                          "bench");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string root = SPARSEDYN_SOURCE_DIR, icub = root + "/../shared/robots/icub.urdf";
  add_solved("arm", root + "/robots/arm.urdf", false);
  add_estimated("humanoid", root + "/robots/humanoid.urdf", on_two_feet(""));
  if (std::filesystem::exists(icub)) add_estimated("icub", icub, on_two_feet(bench::sensors_of(icub)));
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
