// A quadruped that walks, its motion known exactly: what its gyroscope, accelerometer, encoders and feet read, with stated
// noise.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sparsedyn/system/system.hpp"

namespace sparsedyn::test {

/// Standard deviations of readings, of unknown constant offsets, and of the walk of footholds that stand.
struct WalkNoise {
  double gyroscope = 2e-3, accelerometer = 0.05, encoder = 1e-3;
  double gyroscope_offset = 0.01, accelerometer_offset = 0.1;
  double foothold = 5e-3;  // m/√s
  double slide = 0;        // m by which foot0 slides to the left in a quarter of each stance; no sensor says so
};

/// Four legs of three hinges, feet `foot0` … `foot3` on fixed joints, hinges `roll0`, `hip0`, `knee0`, …; the root link is
/// `trunk`.
Model walking_quadruped();

/// joint_position `encoders`, `gyroscope` and `accelerometer` on the trunk (askew, beside its origin), contacts `foot0` …
/// `foot3`.
SensorSet walking_sensors(const WalkNoise& noise = {});
/// The set with a camera that sees where a link is (`link_pose`, 0.01 m, 0.02 of the quaternion), from a start half a metre and
/// a third of a radian off.
SensorSet with_camera(SensorSet set, const std::string& link);

/// A trot of so many samples at the rate: forwards, to the left, swaying.
struct WalkLog {
  double dt = 0;
  std::vector<std::vector<double>> q, v;  // truth: model.nq, model.nv of each sample
  // Readings of each sample: 12 encoders, gyroscope, accelerometer (means over the interval that ends there), 4 flags.
  std::vector<std::vector<double>> readings;
  std::vector<double> gyroscope_offset, accelerometer_offset;
};
/// The same seed gives the same log. noise: of the readings; scale 0 gives exact ones.
WalkLog walk(int samples, double rate, unsigned seed, const WalkNoise& noise = {}, double scale = 1);

/// Names of WalkLog::readings as a Tracker asks for them.
std::vector<std::string> walk_columns();

}  // namespace sparsedyn::test
