#include "gyroscopes.hpp"

#include "system/sensors/link_motion.hpp"

namespace sparsedyn {

Gyroscopes::Gyroscopes(const System& system)
    : system_(system),
      work_(system),
      y_(system.inputs().size(), 0.0),
      values_(system.pattern().entries()),
      right_side_(system.pattern().rows) {
  for (const Measurement& m : system.measurements()) {
    if (m.kind != SensorKind::gyroscope) continue;
    gyroscopes_.push_back(&m);
    columns_.insert(columns_.end(), m.columns.begin(), m.columns.end());
    sigma_.insert(sigma_.end(), m.sigma.begin(), m.sigma.end());
  }
  predicted_.resize(columns_.size());
}

const double* Gyroscopes::predict(const double* q, const double* v) {
  system_.assemble(q, v, y_.data(), values_.data(), right_side_.data(), work_);
  double* next = predicted_.data();
  for (const Measurement* m : gyroscopes_) {
    const Vec3<double> w = sensors::predicted_angular_velocity(*m, work_);
    for (int component : m->components) *next++ = w[component];
  }
  return predicted_.data();
}

}  // namespace sparsedyn
