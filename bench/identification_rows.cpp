// Rows of a log into TorqueInformation, and the fit: what a million rows of a Panda take.
#include <benchmark/benchmark.h>

#include <filesystem>
#include <random>

#include "model/samples.hpp"
#include "sparsedyn/identification/identify.hpp"
#include "sparsedyn/urdf/load.hpp"

namespace {

using namespace sparsedyn;

/// The Panda of ../shared without its fingers, else the arm that ships.
Model robot() {
  const std::filesystem::path root = SPARSEDYN_SOURCE_DIR, panda = root / "../shared/robots/panda.urdf";
  if (!std::filesystem::exists(panda)) return load_urdf((root / "robots/arm.urdf").string());
  LoadOptions options;
  options.cut = {"panda_leftfinger", "panda_rightfinger"};
  return load_urdf(panda.string(), options);
}

/// States and torques, by row.
struct Rows {
  explicit Rows(const Model& model) : n(static_cast<std::size_t>(model.nv)) {
    std::mt19937 rng(1);
    std::normal_distribution<double> normal;
    RegressorWorkspace<double> work(model);
    const std::vector<double> pi = parameters(model);
    for (std::size_t k = 0; k < count; ++k) {
      const std::vector<double> at = normal_sample(model, rng);
      q.insert(q.end(), at.begin(), at.end());
      for (std::size_t i = 0; i < n; ++i) v.push_back(normal(rng)), a.push_back(normal(rng)), tau.push_back(0);
      regressor_times(model, work, &q[k * n], &v[k * n], &a[k * n], pi.data(), &tau[k * n]);
      for (std::size_t i = 0; i < n; ++i) tau[k * n + i] += 0.1 * normal(rng);
    }
  }
  static constexpr std::size_t count = 4096;
  std::size_t n;
  std::vector<double> q, v, a, tau;
};

void add_rows(benchmark::State& state) {
  const Model model = robot();
  const Rows rows(model);
  TorqueInformation information(model);
  std::size_t k = 0;
  for (auto _ : state) {
    const std::size_t at = rows.n * (k++ % Rows::count);
    information.add(&rows.q[at], &rows.v[at], &rows.a[at], &rows.tau[at], nullptr);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(add_rows)->MinTime(2);

void fit(benchmark::State& state) {
  const Model model = robot();
  const Rows rows(model);
  TorqueInformation information(model);
  for (std::size_t at = 0; at < rows.q.size(); at += rows.n)
    information.add(&rows.q[at], &rows.v[at], &rows.a[at], &rows.tau[at], nullptr);
  for (auto _ : state) benchmark::DoNotOptimize(identify(information));
}
BENCHMARK(fit)->Unit(benchmark::kMillisecond);

}  // namespace
