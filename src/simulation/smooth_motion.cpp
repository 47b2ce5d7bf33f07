#include "sparsedyn/simulation/smooth_motion.hpp"

#include <algorithm>
#include <optional>

#include "io/number.hpp"
#include "model/columns.hpp"
#include "sensor_readings.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "trajectory.hpp"

namespace sparsedyn {

ContradictoryConstants::ContradictoryConstants(double missed)
    : std::runtime_error("the constants of the sensor set contradict each other or the motion: one is missed by " +
                         number_text(missed)),
      by(missed) {}

struct SmoothMotion::Parts {
  Parts(const Model& m, const System* system, std::uint64_t seed) : model(m), random(seed), trajectory(m, random), work(m) {
    if (system) sensors.emplace(*system, random);
  }
  const Model& model;
  Random random;
  Trajectory trajectory;
  Workspace<double> work;
  std::optional<SensorReadings> sensors;
};

SmoothMotion::SmoothMotion(const Model& model, const System* sensors, std::uint64_t seed)
    : parts_(std::make_unique<Parts>(model, sensors, seed)), columns_(motion_columns(model)) {
  if (!sensors) return;
  const std::vector<std::string>& more = parts_->sensors->columns();
  columns_.insert(columns_.end(), more.begin(), more.end());
}

SmoothMotion::~SmoothMotion() = default;

void SmoothMotion::row(double t, double* numbers) {
  const Model& model = parts_->model;
  double *q = numbers + 1, *v = q + model.nq, *a = v + model.nv, *tau = a + model.nv, *readings = tau + model.nv;
  numbers[0] = t;
  parts_->trajectory.evaluate(t, q, v, a);
  if (parts_->sensors) {
    violation_ = std::max(violation_, parts_->sensors->evaluate(t, q, v, a, tau, readings));
    beside_ = std::max(beside_, parts_->sensors->beside());
  } else {
    rnea(model, parts_->work, q, v, a, static_cast<const Force<double>*>(nullptr), tau);
  }
}

void SmoothMotion::require_constants() const {
  if (!(beside_ < 1e-6)) throw ContradictoryConstants(violation_);
}

}  // namespace sparsedyn
