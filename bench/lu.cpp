// Refactorisation and solution with the order fixed beforehand: a plan replayed beside klu_refactor + klu_solve (Davis &
// Palamadai Natarajan, ACM TOMS 37, 2010) on the same matrices. KLU chooses its own order (BTF and AMD) and pivots at the
// first state and keeps both, as the plan keeps its own.
#include <benchmark/benchmark.h>
#include <klu.h>

#include <memory>

#include "sparsedyn/ordering/optimise.hpp"
#include "sparsedyn/solve/zero_fill_lu.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/robots.hpp"
#include "support/systems.hpp"

namespace {

using namespace sparsedyn;

constexpr int states = 16;  // cycled through, so that no branch predictor knows the numbers

/// One system, its matrices at some states, and the same matrices by columns for KLU.
struct Case {
  std::string name;
  std::unique_ptr<System> system;
  Plan plan;
  std::vector<std::vector<double>> values, right_sides, column_values;
  std::vector<int> column_start, row;
};

void sample(Case& c) {
  const Pattern& pattern = c.system->pattern();
  const Samples samples = samples_of(*c.system, states);
  std::vector<int> count(pattern.columns + 1, 0);
  for (int column : pattern.column) ++count[column + 1];
  for (int k = 0; k < pattern.columns; ++k) count[k + 1] += count[k];
  c.column_start = count;
  c.row.resize(pattern.entries());
  for (int s = 0; s < states; ++s) {
    std::vector<double> values(pattern.entries()), right_side(pattern.rows), by_column(pattern.entries());
    samples.fill(s, values.data(), right_side.data());
    std::vector<int> next(count.begin(), count.end() - 1);
    for (int r = 0; r < pattern.rows; ++r)
      for (int e = pattern.row_start[r]; e < pattern.row_start[r + 1]; ++e) {
        const int place = next[pattern.column[e]]++;
        c.row[place] = r;
        by_column[place] = values[e];
      }
    c.values.push_back(values), c.right_sides.push_back(right_side), c.column_values.push_back(by_column);
  }
}

std::shared_ptr<Case> make_case(const std::string& name, const Model& model, bool inverse) {
  auto c = std::make_shared<Case>();
  c->name = name + (inverse ? "/inverse" : "/forward");
  c->system = std::make_unique<System>(model, inverse ? test::inverse_dynamics_set() : test::forward_dynamics_set());
  c->plan = optimise(*c->system).plan;
  sample(*c);
  return c;
}

void note(benchmark::State& state, const Case& c) {
  state.counters["unknowns"] = c.plan.pattern.columns;
  state.counters["entries"] = c.plan.pattern.entries();
}

void replay_plan(benchmark::State& state, const std::shared_ptr<Case>& c) {
  ZeroFillLU<double> lu(c->plan);
  std::vector<double> x(c->plan.pattern.columns);
  int s = 0;
  bool ok = true;
  for (auto _ : state) {
    ok = lu.factor(c->values[s].data()).ok() && lu.solve(c->right_sides[s].data(), x.data()).ok() && ok;
    benchmark::DoNotOptimize(x.data());
    s = (s + 1) % states;
  }
  if (!ok) state.SkipWithError("a pivot vanished");
  note(state, *c);
  state.counters["flops"] = static_cast<double>(c->plan.flops().total());
}

void klu(benchmark::State& state, const std::shared_ptr<Case>& c) {
  klu_common common;
  klu_defaults(&common);
  int n = c->plan.pattern.columns, s = 0, ok = 1;
  int *start = c->column_start.data(), *row = c->row.data();
  klu_symbolic* symbolic = klu_analyze(n, start, row, &common);
  klu_numeric* numeric = klu_factor(start, row, c->column_values[0].data(), symbolic, &common);
  std::vector<double> x(n);
  for (auto _ : state) {
    ok &= klu_refactor(start, row, c->column_values[s].data(), symbolic, numeric, &common);
    x = c->right_sides[s];
    ok &= klu_solve(symbolic, numeric, n, 1, x.data(), &common);
    benchmark::DoNotOptimize(x.data());
    s = (s + 1) % states;
  }
  if (!ok) state.SkipWithError("klu failed");
  klu_free_numeric(&numeric, &common);
  klu_free_symbolic(&symbolic, &common);
  note(state, *c);
}

void add(const std::shared_ptr<Case>& c) {
  benchmark::RegisterBenchmark((c->name + "/plan").c_str(), [c](benchmark::State& state) { replay_plan(state, c); });
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
