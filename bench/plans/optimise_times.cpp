// How long the search for an order takes: forward dynamics of general chains, from the sensor set's verdict to the plan.
//   optimise_times [N …]        default: 30 100 300 1000
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "sparsedyn/determinacy/determinacy.hpp"
#include "sparsedyn/flops/counts.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/planning/optimise.hpp"

using namespace sparsedyn;

namespace {

struct Seconds {
  double processor, wall;
};

Seconds now() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  const auto wall = std::chrono::steady_clock::now().time_since_epoch();
  return {static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec), std::chrono::duration<double>(wall).count()};
}

/// Slope of log(seconds) over log(n) by least squares.
double exponent(const std::vector<int>& n, const std::vector<double>& seconds) {
  const auto m = static_cast<double>(n.size());
  double x = 0, y = 0, xx = 0, xy = 0;
  for (std::size_t k = 0; k < n.size(); ++k) {
    const double log_n = std::log(n[k]), log_t = std::log(seconds[k]);
    x += log_n, y += log_t, xx += log_n * log_n, xy += log_n * log_t;
  }
  return (m * xy - x * y) / (m * xx - x * x);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<int> lengths;
  for (int k = 1; k < argc; ++k) lengths.push_back(std::atoi(argv[k]));
  if (lengths.empty()) lengths = {30, 100, 300, 1000};
  const SensorSet forward = load_sensor_set("forward-dynamics");
  std::printf("joints  unknowns  verdict s  in all s (wall s)       flops  per joint  order\n");
  std::vector<double> seconds;
  for (int n : lengths) {
    const System system(general_chain(n), forward);
    const Seconds begin = now();
    if (determinacy(system).verdict() != Verdict::determined) return 1;
    const Seconds judged = now();
    const OptimiseResult found = optimise(system);
    const Seconds end = now();
    seconds.push_back(end.processor - begin.processor);
    const long flops = found.plan.flops().total();
    std::printf("%6d  %8d  %9.2f  %8.2f (%.2f)  %10ld  %9.1f  %s\n", n, system.pattern().columns,
                judged.processor - begin.processor, seconds.back(), end.wall - begin.wall, flops,
                static_cast<double>(flops) / n, found.plan.strategy.c_str());
    std::fflush(stdout);
  }
  if (lengths.size() > 1) std::printf("processor time grows as joints^%.2f\n", exponent(lengths, seconds));
  return 0;
}
