// Worst errors of an Estimator's deviations over awkward robots and sets, beside 34 digits.
//   bench_deviation_errors [SETS [FIRST_SEED [SAMPLES]]]     180 0 64; sets of each of nine spreads of robots and sigmas
// A solve has a deviation where its own error is at most 1e-8. Exit 1 where one that a solve has is further off than that,
// where of some spread there is no deviation, or where a quarter of all samples fails.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "support/awkward_deviations.hpp"

namespace {

using namespace sparsedyn::test;

struct Tally {
  long samples = 0, failed = 0, deviations = 0, not_solved = 0, worse = 0, swept_twice = 0, solved = 0, refused = 0, unsure = 0;
  double worst = 0, worst_row = 0;
  unsigned seed = 0;
};

void add(const DeviationErrors& errors, unsigned seed, Tally& to) {
  constexpr double good = 1e-8;
  to.samples += errors.samples, to.failed += errors.failed, to.deviations += static_cast<long>(errors.all.size());
  to.swept_twice += errors.swept_twice, to.solved += errors.solved, to.refused += !errors.refused.empty(),
      to.unsure += errors.unsure;
  for (const DeviationError& e : errors.all) {
    if (e.solves_error() > good) {
      ++to.not_solved;
      continue;
    }
    to.worse += e.error() > good;
    if (e.error() > good)
      std::printf("  seed %u: %s is %.1e off, %.1e by a solve\n", seed, e.name.c_str(), e.error(), e.solves_error());
    double& worst = e.of_row ? to.worst_row : to.worst;
    if (e.error() > worst && !e.of_row) to.seed = seed;
    worst = std::max(worst, e.error());
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto argument = [&](int i, int otherwise) { return argc > i ? std::atoi(argv[i]) : otherwise; };
  const int sets = argument(1, 180), first = argument(2, 0), samples = argument(3, 64);
  std::printf("%7s %7s %8s %7s %10s %10s %10s %9s %9s %8s %7s %9s %9s\n", "robot", "sigmas", "samples", "failed", "deviations",
              "worst", "of rows", "over 1e-8", "by seed", "no solve", "twice", "by solves", "unsure");
  bool wrong = false;
  long all_samples = 0, all_failed = 0;
  for (const double robot : {2., 6., 12.})
    for (const double sigmas : {0., 6., 12.}) {
      Tally tally;
      for (int s = first; s < first + sets; ++s)
        add(deviation_errors(static_cast<unsigned>(s), {robot, sigmas}, samples), static_cast<unsigned>(s), tally);
      std::printf("%7g %7g %8ld %7ld %10ld %10.1e %10.1e %9ld %9u %8ld %7ld %9ld %9ld\n", robot, sigmas, tally.samples,
                  tally.failed, tally.deviations, tally.worst, tally.worst_row, tally.worse, tally.seed, tally.not_solved,
                  tally.swept_twice, tally.solved, tally.unsure);
      std::fflush(stdout);
      wrong = wrong || tally.worse > 0 || tally.deviations == 0;
      all_samples += tally.samples, all_failed += tally.failed;
    }
  return wrong || 4 * all_failed >= all_samples;
}
