// The noise of sensors against the deviations that the set states.
// Of n samples white_noise_of() is σ to about 1.2 / √n; what is told is far beyond.
#include <algorithm>
#include <cmath>

#include "inspection/tests.hpp"

namespace sparsedyn::inspection {
namespace {

constexpr double too_much = 1.7, too_little = 0.4;

/// Whether a finding spoils the column's noise. Signs, units and axes of sensors were taken off.
bool judged_before(const Examination& x, const std::string& name) {
  return std::any_of(x.result.findings.begin(), x.result.findings.end(), [&](const Finding& f) {
    if (std::find(f.columns.begin(), f.columns.end(), name) == f.columns.end()) return false;
    switch (f.kind) {
      case FindingKind::quantised: return true;
      case FindingKind::stuck:
      case FindingKind::saturated:
      case FindingKind::gravity_sign:
      case FindingKind::gravity_unit:
      case FindingKind::gravity_missing:
      case FindingKind::accelerometer_frame:
      case FindingKind::gyroscope_unit:
      case FindingKind::gyroscope_frame:
      case FindingKind::force_sign:
      case FindingKind::force_unit:
      case FindingKind::force_frame:
      case FindingKind::torque_sign:
      case FindingKind::torque_scale: return false;
      default: return f.severity == Severity::harm;
    }
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
