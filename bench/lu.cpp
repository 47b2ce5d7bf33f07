// Refactorisation and solution with the order fixed beforehand: a plan replayed beside klu_refactor + klu_solve on the same
// matrices.
#include <memory>

#include "klu_matrices.hpp"
#include "runtime/system_samples.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/sparse/zero_fill_lu.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/robots.hpp"
#include "support/systems.hpp"

namespace {

using namespace sparsedyn;

constexpr int states = 16;  // cycled through, so that no branch predictor knows the numbers

struct Case {
  std::string name;
  std::unique_ptr<System> system;
  Plan plan;
  bench::Matrices matrices;
};

std::shared_ptr<Case> make_case(const std::string& name, const Model& model, bool inverse) {
  auto c = std::make_shared<Case>();
  c->name = name + (inverse ? "/inverse" : "/forward");
  c->system = std::make_unique<System>(model, inverse ? test::inverse_dynamics_set() : test::forward_dynamics_set());
  c->plan = optimise(*c->system).plan;
  c->matrices = bench::matrices_of(c->system->pattern(), samples_of(*c->system, states), states);
  return c;
}

void note(benchmark::State& state, const Case& c) {
  state.counters["unknowns"] = c.plan.pattern.columns;
  state.counters["entries"] = c.plan.pattern.entries();
}

/// judged: with what Solver looks at before it trusts a solution.
void replay_plan(benchmark::State& state, const std::shared_ptr<Case>& c, bool judged) {
  ZeroFillLU<double> lu(c->plan);
  std::vector<double> x(c->plan.pattern.columns);
  int s = 0;
  bool ok = true;
  for (auto _ : state) {
    ok = lu.factor(c->matrices.values[s].data()).ok() && lu.solve(c->matrices.right_sides[s].data(), x.data()).ok() && ok;
    benchmark::DoNotOptimize(x.data());
    if (judged) ok = lu.growth() < 1e12 && lu.errors(x.data()).backward < 1e-12 && ok;
    s = (s + 1) % states;
  }
  if (!ok) state.SkipWithError("a pivot vanished");
  note(state, *c);
  state.counters["flops"] = static_cast<double>(c->plan.flops().total());
}

void klu(benchmark::State& state, const std::shared_ptr<Case>& c) {
  bench::run_klu(state, c->matrices);
  note(state, *c);
}

void add(const std::shared_ptr<Case>& c) {
  for (bool judged : {false, true})
    benchmark::RegisterBenchmark((c->name + (judged ? "/judged" : "/plan")).c_str(),
                                 [c, judged](benchmark::State& state) { replay_plan(state, c, judged); });
  benchmark::RegisterBenchmark((c->name + "/klu").c_str(), [c](benchmark::State& state) { klu(state, c); });
}

}  // namespace

int main(int argc, char** argv) {
  test::TreeOptions chain;
  chain.branching = 0;
  chain.lumped = false;
  chain.kinds = {JointKind::revolute};
  for (bool inverse : {true, false})
    for (int n : {7, 30, 100}) add(make_case("chain" + std::to_string(n), test::random_tree(n, 1, chain), inverse));
  for (const std::string& path : test::shared_robots())
    for (bool inverse : {true, false})
      for (const std::string name : {"panda", "atlas"})
        if (path.find("/" + name + ".urdf") != std::string::npos) {
          LoadOptions options;
          options.floating = name == "atlas";
          add(make_case(name, load_urdf(path, options), inverse));
        }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
