// The noise of sensors against the deviations that the set states.
//
// Differences of order five hold white noise of variance 252 σ² and little of a motion; those of order seven (3432 σ²) tell
// whether that is so: both agree on white noise, and on nothing else. The median is that of most samples, so that
// a few large ones count for nothing. Of n samples it is σ to about 1.2 / √n; what is told is far beyond.
#include <algorithm>
#include <cmath>

#include "inspection/tests.hpp"

namespace sparsedyn::inspection {
namespace {

constexpr double too_much = 1.7, too_little = 0.4;

double noise_by_differences(Series x, int order) {
  double gain = 1;  // Σ of squared binomials: (2k)! / k!²
  for (int k = 1; k <= order; ++k) {
    for (std::size_t i = 0; i + 1 < x.size(); ++i) x[i] = x[i + 1] - x[i];
    x.pop_back();
    gain *= (4.0 * k - 2.0) / k;
  }
  for (double& d : x) d = std::abs(d);
  return median_of(std::move(x)) / 0.6745 / std::sqrt(gain);
}

bool judged_before(const Examination& x, const std::string& name) {
  return std::any_of(x.result.findings.begin(), x.result.findings.end(), [&](const Finding& f) {
    const bool unit = f.severity == Severity::harm && f.kind != FindingKind::stuck && f.kind != FindingKind::saturated;
    return (unit || f.kind == FindingKind::quantised) && std::find(f.columns.begin(), f.columns.end(), name) != f.columns.end();
  });
}

}  // namespace

void test_noise(Examination& x) {
  if (!x.system) return;
  for (const Measurement& m : x.system->measurements())
    for (std::size_t k = 0; k < m.columns.size(); ++k) {
      const double sigma = m.sigma[k];
      std::string name = m.columns[k];
      const Series* values = x.column(name);
      if (!values && !m.stand_ins[k].empty()) values = x.column(name = m.stand_ins[k]);
      if (!(sigma > 0) || !values || count_of(*values) < 200 || judged_before(x, name)) continue;
      const double five = noise_by_differences(*values, 5), seven = noise_by_differences(*values, 7);
      const double size = deviation_of(*values);
      if (!(five > 1e-7 * size) || !(seven > 0) || std::abs(std::log(five / seven)) > 0.25) continue;
      const double ratio = five / sigma;
      if (ratio < too_much && ratio > too_little) continue;
      x.add(FindingKind::noise_level, ratio > 1 ? Severity::doubt : Severity::note, {name},
            name + ": white noise of " + shown(five) + ", stated " + shown(sigma),
            ratio > 1 ? "a sensor that is noisier than stated" : "a sensor that is less noisy than stated, or filtered",
            "state what was found");
    }
}

}  // namespace sparsedyn::inspection
