// Times of the recursive algorithms on robots: ns a call, 128 random states in turn.
//   bench_recursive [ROBOT.urdf | ROBOT.urdf:floating]... [--benchmark_…]     without robots: those that ship
#include <benchmark/benchmark.h>

#include <filesystem>
#include <memory>
#include <random>

#include "model/samples.hpp"
#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/urdf/load.hpp"

namespace {

using namespace sparsedyn;

constexpr int states = 128;

struct Robot {
  Model model;
  std::vector<std::vector<double>> q, v, a;
};

Robot load(std::string path) {
  LoadOptions options;
  const std::string suffix = ":floating";
  options.floating = path.size() > suffix.size() && path.substr(path.size() - suffix.size()) == suffix;
  if (options.floating) path.resize(path.size() - suffix.size());
  Robot robot{load_urdf(path, options), {}, {}, {}};
  std::mt19937 rng(1);
  std::normal_distribution<double> normal;
  for (int s = 0; s < states; ++s) {
    robot.q.emplace_back(robot.model.nq);
    uniform_sample(robot.model, rng, robot.q.back().data());
    robot.v.emplace_back(robot.model.nv);
    robot.a.emplace_back(robot.model.nv);
    for (int k = 0; k < robot.model.nv; ++k) robot.v.back()[k] = normal(rng), robot.a.back()[k] = normal(rng);
  }
  return robot;
}

/// Runs `algorithm(robot, workspace, state, out)`, out: nv × nv numbers.
template <class Algorithm>
void time(benchmark::State& state, const Robot& robot, Algorithm algorithm) {
  Workspace<double> ws(robot.model);
  std::vector<double> out(static_cast<std::size_t>(robot.model.nv) * robot.model.nv);
  int s = 0;
  for (auto _ : state) {
    algorithm(robot, ws, s, out.data());
    benchmark::DoNotOptimize(out.data());
    s = (s + 1) % states;
  }
}

void register_robot(const std::string& path) {
  const auto robot = std::make_shared<Robot>(load(path));
  const std::string name = std::filesystem::path(path).stem().string() + ", nv " + std::to_string(robot->model.nv);
  const auto add = [&](const char* algorithm, auto call) {
    benchmark::RegisterBenchmark((name + "/" + algorithm).c_str(),
                                 [robot, call](benchmark::State& state) { time(state, *robot, call); });
  };
  using Work = Workspace<double>;
  add("rnea", [](const Robot& r, Work& ws, int s, double* out) {
    rnea<double>(r.model, ws, r.q[s].data(), r.v[s].data(), r.a[s].data(), nullptr, out);
  });
  add("aba", [](const Robot& r, Work& ws, int s, double* out) {
    aba<double>(r.model, ws, r.q[s].data(), r.v[s].data(), r.a[s].data(), nullptr, out);
  });
  add("crba", [](const Robot& r, Work& ws, int s, double* out) { crba<double>(r.model, ws, r.q[s].data(), out); });
  add("minverse", [](const Robot& r, Work& ws, int s, double* out) { minverse<double>(r.model, ws, r.q[s].data(), out); });
  add("gravity",
      [](const Robot& r, Work& ws, int s, double* out) { gravity_torques<double>(r.model, ws, r.q[s].data(), out); });
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  std::vector<std::string> robots(argv + 1, argv + argc);
  const std::string ours = SPARSEDYN_SOURCE_DIR "/robots/";
  if (robots.empty()) robots = {ours + "arm.urdf", ours + "quadruped.urdf:floating", ours + "humanoid.urdf:floating"};
  for (const std::string& path : robots) register_robot(path);
  benchmark::RunSpecifiedBenchmarks();
}
