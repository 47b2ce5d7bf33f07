// The noise of sensors against the deviations that the set states.
// Of n samples white_noise_of() is σ to about 1.2 / √n; what is told is far beyond.
#include <algorithm>
#include <cmath>

#include "inspection/tests.hpp"

namespace sparsedyn::inspection {
namespace {

constexpr double too_much = 1.7, too_little = 0.4;

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
      const double noise = white_noise_of(*values);
      if (noise == 0) continue;
      const double ratio = noise / sigma;
      if (ratio < too_much && ratio > too_little) continue;
      x.add(FindingKind::noise_level, ratio > 1 ? Severity::doubt : Severity::note, {name},
            name + ": white noise of " + shown(noise) + ", stated " + shown(sigma),
            ratio > 1 ? "a sensor that is noisier than stated" : "a sensor that is less noisy than stated, or filtered",
            "state what was found");
    }
}

}  // namespace sparsedyn::inspection
