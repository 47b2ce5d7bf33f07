// A sample of the arm of examples/06_estimate_at_1kHz.cpp, torques read twice and accelerations: plain least squares, and what
// may be asked for beside it in a loop. One call of Estimator::estimate each, assembly included.
#include <benchmark/benchmark.h>

#include <cmath>
#include <random>

#include "model/samples.hpp"
#include "sensor_sets.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/urdf/load.hpp"

namespace {

using namespace sparsedyn;

constexpr int states = 16;  // cycled through, so that no branch predictor knows the numbers

struct Sample {
  std::vector<double> q, v, y;
};

/// Readings with the noise that the set states.
std::vector<Sample> readings_of(const System& system) {
  const Model& model = system.model();
  std::mt19937 rng(1);
  std::normal_distribution<double> normal;
  Workspace<double> work(model);
  std::vector<Sample> samples(states);
  for (Sample& s : samples) {
    s.q = normal_sample(model, rng), s.v.resize(model.nv), s.y.resize(system.inputs().size());
    std::vector<double> a(model.nv), tau(model.nv);
    for (int i = 0; i < model.nv; ++i) s.v[i] = normal(rng), a[i] = normal(rng);
    rnea<double>(model, work, s.q.data(), s.v.data(), a.data(), nullptr, tau.data());
    for (int i = 0; i < model.nv; ++i) {
      s.y[i] = tau[i] + 0.3 * normal(rng);
      s.y[model.nv + i] = tau[i] + 0.1 * normal(rng);
      s.y[2 * model.nv + i] = a[i] + 0.5 * normal(rng);
    }
  }
  return samples;
}

/// What is asked for beside the estimate.
struct Wish {
  const char* name;
  bool deviations = false, huber = false, gate = false, offsets = false, new_sigma = false, spike = false;
};

void run(benchmark::State& state, const std::shared_ptr<const System>& system, const std::shared_ptr<const EstimatorPlan>& plan,
         const Wish& wish) {
  EstimatorOptions options;
  options.outputs = {"tau"};
  options.standard_deviations = wish.deviations;
  options.huber = wish.huber ? 3 : 0;
  options.gate = wish.gate;
  Estimator estimator(system, plan, options);
  std::vector<Sample> samples = readings_of(*system);
  const int nv = system->model().nv;
  if (wish.spike)
    for (Sample& s : samples) s.y[1] += 30;  // 100 deviations
  const std::vector<int> motors = estimator.rows("motors");
  std::vector<double> offset(motors.size(), 0.1);
  if (wish.offsets) {
    std::vector<double> covariance(motors.size() * motors.size(), 0.0);
    for (std::size_t k = 0; k < motors.size(); ++k) covariance[k * motors.size() + k] = 1e-4;
    estimator.take_off({motors, offset, covariance, {}});
  }
  std::vector<double> tau(nv);
  int s = 0;
  bool ok = true;
  for (auto _ : state) {
    if (wish.new_sigma) ok = estimator.set_sigma("motors", s % 2 ? 0.3 : 0.4) && ok;
    if (wish.offsets) offset[0] = 0.1 + 0.01 * s, estimator.set_offsets(offset.data());
    const Sample& sample = samples[static_cast<std::size_t>(s)];
    ok = estimator.estimate(sample.q.data(), sample.v.data(), sample.y.data(), tau.data()).ok() && ok;
    benchmark::DoNotOptimize(tau.data());
    s = (s + 1) % states;
  }
  if (!ok) state.SkipWithError("a sample failed");
}

}  // namespace

int main(int argc, char** argv) {
  const auto system = std::make_shared<const System>(load_urdf(SPARSEDYN_SOURCE_DIR "/robots/arm.urdf"),
                                                     parse_sensor_set(bench::gauged, "gauged"));
  const auto plan = plan_estimator(*system);
  std::vector<Wish> wishes(11);
  wishes[0].name = "plain";
  wishes[1].name = "huber", wishes[1].huber = true;
  wishes[2].name = "huber/spike", wishes[2].huber = wishes[2].spike = true;
  wishes[3].name = "gate", wishes[3].gate = true;
  wishes[4].name = "gate/spike", wishes[4].gate = wishes[4].spike = true;
  wishes[5].name = "offsets", wishes[5].offsets = true;
  wishes[6].name = "new_sigma", wishes[6].new_sigma = true;
  wishes[7].name = "sd", wishes[7].deviations = true;
  wishes[8].name = "sd/huber", wishes[8].deviations = wishes[8].huber = true;
  wishes[9].name = "sd/offsets", wishes[9].deviations = wishes[9].offsets = true;
  wishes[10].name = "sd/huber/offsets/new_sigma/spike";
  wishes[10].deviations = wishes[10].huber = wishes[10].offsets = wishes[10].new_sigma = wishes[10].spike = true;
  for (const Wish& wish : wishes)
    benchmark::RegisterBenchmark(wish.name, [=](benchmark::State& state) { run(state, system, plan, wish); });
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
