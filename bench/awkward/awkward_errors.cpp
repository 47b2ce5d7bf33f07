// Worst errors of every algorithm over awkward robots and states, beside 34 digits by another formulation.
//   bench_awkward_errors [CASES [FIRST_SEED [DECADES [SOLVER]]]]     1000 0 12 50; a case is a seed, of robot and state alike
// First derivatives are worked out for every 100th case, second for every 500th, Solver for every SOLVER-th.
#include "support/awkward_errors.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>

namespace {

struct Worst {
  int order = 0;
  long cases = 0, ill = 0;
  double relative = 0, of_rounding = 0;
  unsigned relative_seed = 0, rounding_seed = 0;
};

}  // namespace

int main(int argc, char** argv) {
  using namespace sparsedyn::test;
  const auto argument = [&](int i, double otherwise) { return argc > i ? std::atof(argv[i]) : otherwise; };
  const unsigned cases = static_cast<unsigned>(argument(1, 1000)), first = static_cast<unsigned>(argument(2, 0));
  AwkwardOptions options;
  options.decades = argument(3, 12);
  const unsigned solver = static_cast<unsigned>(std::max(1.0, argument(4, 50)));
  std::map<std::string, Worst> table;
  long singular = 0;
  for (unsigned seed = first; seed < first + cases; ++seed) {
    const AwkwardRobot robot = awkward_robot(seed, options);
    bool was_singular = false;
    AwkwardScope scope;
    scope.derivatives = seed % 100 == 0, scope.second_derivatives = seed % 500 == 0, scope.solver = seed % solver == 0;
    for (const AwkwardError& e : awkward_errors(robot, awkward_state(robot, seed), scope, &was_singular)) {
      Worst& worst = table[e.algorithm];
      if (worst.cases++ == 0) worst.order = static_cast<int>(table.size());
      if (!(e.relative <= worst.relative)) worst.relative = e.relative, worst.relative_seed = seed;
      worst.ill += e.ill_conditioned();
      if (!e.ill_conditioned() && e.of_rounding > worst.of_rounding)
        worst.of_rounding = e.of_rounding, worst.rounding_seed = seed;
    }
    singular += was_singular;
  }
  std::map<int, std::string> order;
  for (const auto& [name, worst] : table) order[worst.order] = name;
  std::printf("%-36s %8s %12s %9s %9s %12s %9s\n", "algorithm", "cases", "relative", "seed", "ill", "of rounding", "seed");
  for (const auto& entry : order) {
    const Worst& w = table[entry.second];
    std::printf("%-36s %8ld %12.2g %9u", entry.second.c_str(), w.cases, w.relative, w.relative_seed);
    if (w.of_rounding > 0)
      std::printf(" %9ld %12.3g %9u\n", w.ill, w.of_rounding, w.rounding_seed);
    else
      std::printf(" %9s %12s\n", "-", "-");
  }
  std::printf("cases in which an algorithm called M singular: %ld of %u\n", singular, cases);
}
