// Time that this thread has spent on the processor: other programs on the machine count little.
#pragma once

#include <algorithm>
#include <ctime>

namespace sparsedyn::reproduce {

/// Microseconds.
inline double processor_time() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e6 * static_cast<double>(t.tv_sec) + 1e-3 * static_cast<double>(t.tv_nsec);
}

/// Microseconds of work(k), k = 0 … states − 1 in turn: the least mean of a round, of as many rounds as fit into `budget`
/// microseconds, one at least.
template <class Work>
double least_time(int states, double budget, Work&& work) {
  double least = 1e300;
  const double begin = processor_time();
  do {
    const double start = processor_time();
    for (int k = 0; k < states; ++k) work(k);
    least = std::min(least, (processor_time() - start) / states);
  } while (processor_time() - begin < budget);
  return least;
}

}  // namespace sparsedyn::reproduce
