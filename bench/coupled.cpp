// What coupling joints costs and saves: the recursive algorithms and generated programs of robots with <mimic> joints, each on
// its own (0) and following its leader (1). Counter `flops`: of the generated program. Robots: ../shared/robots, beside the
// checkout.
//   build/bench/bench_coupled
#include <benchmark/benchmark.h>

#include <filesystem>
#include <map>

#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/dynamics/derivatives.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/urdf/load.hpp"

namespace {

using namespace sparsedyn;

struct Work {
  explicit Work(const Model& model)
      : recursion(model),
        derivatives(model),
        tau(static_cast<std::size_t>(model.nv)),
        out(tau.size()),
        first(tau.size() * tau.size()),
        second(first),
        third(first) {}
  Workspace<double> recursion;
  AbaDerivativeWorkspace<double> derivatives;
  std::vector<double> tau, out, first, second, third;
};

void run(const Model& model, const std::string& algorithm, const std::vector<double>& q, const std::vector<double>& v,
         Work& w) {
  const Force<double>* const none = nullptr;
  if (algorithm == "rnea") rnea(model, w.recursion, q.data(), v.data(), w.tau.data(), none, w.out.data());
  if (algorithm == "aba") aba(model, w.recursion, q.data(), v.data(), w.tau.data(), none, w.out.data());
  if (algorithm == "crba") crba(model, w.recursion, q.data(), w.first.data());
  if (algorithm == "minverse") minverse(model, w.recursion, q.data(), w.first.data());
  if (algorithm == "aba-derivatives")
    aba_derivatives<double>(model, w.derivatives, q.data(), v.data(), w.tau.data(), none,
                            {w.out.data(), w.first.data(), w.second.data(), w.third.data()});
}

void measure(benchmark::State& state, const std::string& path, const std::string& algorithm) {
  LoadOptions options;
  options.mimic = state.range(0) != 0;
  const Model model = load_urdf(path, options);
  Work work(model);
  std::vector<double> q(static_cast<std::size_t>(model.nq), 0.2), v(static_cast<std::size_t>(model.nv), 0.3);
  std::fill(work.tau.begin(), work.tau.end(), 0.1);
  for (auto _ : state) {
    run(model, algorithm, q, v, work);
    benchmark::DoNotOptimize(work.out.data());
    benchmark::DoNotOptimize(work.first.data());
    benchmark::ClobberMemory();
  }
  state.counters["nv"] = model.nv;
  static std::map<std::string, double> known;  // recording takes longer than a run
  double& flops = known[path + algorithm + (options.mimic ? "1" : "0")];
  if (flops == 0) flops = static_cast<double>(algorithm_program(model, algorithm).counts().flops());
  state.counters["flops"] = flops;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string robots = std::string(SPARSEDYN_SOURCE_DIR) + "/../shared/robots/";
  for (const char* robot : {"panda", "nao"})
    for (const char* algorithm : {"rnea", "aba", "crba", "minverse", "aba-derivatives"})
      if (const std::string path = robots + robot + ".urdf"; std::filesystem::exists(path))
        benchmark::RegisterBenchmark((std::string(robot) + "/" + algorithm + "/mimic").c_str(),
                                     [=](benchmark::State& state) { measure(state, path, algorithm); })
            ->Arg(0)
            ->Arg(1);
  benchmark::Initialize(&count, arguments);
  benchmark::RunSpecifiedBenchmarks();
}
