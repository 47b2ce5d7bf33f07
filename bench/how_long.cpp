// How long the numbers of docs/timings.md take, on the robots that ship: recursions, the sparse system of a determined set, an
// estimate from everything that such a robot measures, without and with standard deviations, and the search for its plan. One
// call each, assembly included.
#include <benchmark/benchmark.h>

#include <random>

#include "model/samples.hpp"
#include "sensor_sets.hpp"
#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/sparsedyn.hpp"

namespace {

using namespace sparsedyn;

constexpr int states = 16;  // cycled through, so that no branch predictor knows the numbers

struct Sample {
  std::vector<double> q, v, y;  // y: a, tau or readings; times do not depend on whether they fit each other
};

std::vector<Sample> samples_of(const Model& model, std::size_t readings) {
  std::mt19937 rng(1);
  std::normal_distribution<double> normal;
  std::vector<Sample> samples(states);
  for (Sample& s : samples) {
    s.q = normal_sample(model, rng), s.v.resize(static_cast<std::size_t>(model.nv)), s.y.resize(readings);
    for (double& x : s.v) x = normal(rng);
    for (double& x : s.y) x = normal(rng);
  }
  return samples;
}

/// `call(sample)` on one sample after the other; false where one has no answer.
template <class Call>
void cycle(benchmark::State& state, const std::vector<Sample>& samples, const Call& call) {
  std::size_t s = 0;
  bool ok = true;
  for (auto _ : state) {
    ok = call(samples[s]) && ok;
    s = (s + 1) % states;
  }
  if (!ok) state.SkipWithError("a sample failed");
}

void recursion(benchmark::State& state, const Model& model, bool forwards) {
  Workspace<double> work(model);
  std::vector<double> out(static_cast<std::size_t>(model.nv));
  cycle(state, samples_of(model, out.size()), [&](const Sample& s) {
    if (!forwards) rnea<double>(model, work, s.q.data(), s.v.data(), s.y.data(), nullptr, out.data());
    const bool ok = !forwards || aba<double>(model, work, s.q.data(), s.v.data(), s.y.data(), nullptr, out.data()).ok();
    benchmark::DoNotOptimize(out.data());
    return ok;
  });
}

void determined(benchmark::State& state, const Model& model) {
  Solver solver = make_solver(model, load_sensor_set("forward-dynamics"), {{"ddq"}});
  std::vector<double> ddq(static_cast<std::size_t>(model.nv));
  cycle(state, samples_of(model, solver.system().inputs().size()),
        [&](const Sample& s) { return solver.solve(s.q.data(), s.v.data(), s.y.data(), ddq.data()).ok(); });
}

void estimate(benchmark::State& state, const std::shared_ptr<const System>& system, bool deviations) {
  EstimatorOptions options;
  options.outputs = {"tau", "ddq"};
  options.standard_deviations = deviations;
  Estimator estimator(system, plan_estimator(*system), options);
  std::vector<double> out(estimator.output_columns().size() * 2);
  state.counters["unknowns"] = system->pattern().columns;
  cycle(state, samples_of(system->model(), system->inputs().size()),
        [&](const Sample& s) { return estimator.estimate(s.q.data(), s.v.data(), s.y.data(), out.data()).ok(); });
}

void search(benchmark::State& state, const std::shared_ptr<const System>& system) {
  for (auto _ : state) benchmark::DoNotOptimize(plan_estimator(*system));
}

/// Motors, encoders, an IMU on the base and force/torque sensors at the feet; nothing else touches the robot.
std::string on_legs(const std::string& base, const std::string& feet) {
  return R"({"sensors": [
    {"name": "free", "type": "joint_torque", "joint": "base", "value": 0},
    {"name": "air", "type": "external_wrench", "link": "*", "except": [)" +
         feet + R"(], "value": 0},
    {"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": 0.3},
    {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.5},
    {"name": "imu", "type": "accelerometer", "link": ")" +
         base + R"(", "sigma": 0.1},
    {"name": "feet", "type": "external_wrench", "link": [)" +
         feet + R"(], "sigma": [0.1, 0.1, 0.1, 2, 2, 2]}]})";
}

void add(const std::string& name, const std::string& set, bool floating) {
  LoadOptions options;
  options.floating = floating;
  const auto model = std::make_shared<const Model>(load_urdf(SPARSEDYN_SOURCE_DIR "/robots/" + name + ".urdf", options));
  const auto system = std::make_shared<const System>(*model, parse_sensor_set(set, name));
  const auto bench = [&](const char* what, auto run) { benchmark::RegisterBenchmark((name + "/" + what).c_str(), run); };
  bench("rnea", [=](benchmark::State& state) { recursion(state, *model, false); });
  bench("aba", [=](benchmark::State& state) { recursion(state, *model, true); });
  bench("forward-dynamics", [=](benchmark::State& state) { determined(state, *model); });
  bench("estimate", [=](benchmark::State& state) { estimate(state, system, false); });
  bench("estimate with deviations", [=](benchmark::State& state) { estimate(state, system, true); });
  bench("search for its plan", [=](benchmark::State& state) { search(state, system); });
}

}  // namespace

int main(int argc, char** argv) {
  add("arm", bench::gauged, false);
  add("quadruped", on_legs("trunk", R"("lf_foot", "rf_foot", "lh_foot", "rh_foot")"), true);
  add("humanoid", on_legs("pelvis", R"("l_sole", "r_sole")"), true);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
