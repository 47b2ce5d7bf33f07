// Readings of the sensor set against the motion: the motion of all links goes by once, for all tests.
#pragma once

#include <memory>

#include "link_samples.hpp"

namespace sparsedyn::inspection {

class SensorTest {
 public:
  virtual ~SensorTest() = default;
  virtual void take(const LinkSample& sample) = 0;
  /// After the last sample.
  virtual void judge() = 0;
  /// Instead, where the motion is not known.
  virtual void give_up(const std::string& why) = 0;
};

/// nullptr where the set or the log has no such sensor.
std::unique_ptr<SensorTest> inertial_test(Examination& x);
std::unique_ptr<SensorTest> wrench_test(Examination& x);
std::unique_ptr<SensorTest> support_test(Examination& x);

}  // namespace sparsedyn::inspection
