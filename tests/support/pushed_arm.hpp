// An arm with a fixed base that moves smoothly while the world pushes at one of its links: what its encoders and torque sensors
// read, with stated noise. The motion is a sum of sines, the torques follow by inverse dynamics, means over the intervals by
// Gauss-Legendre quadrature.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "sparsedyn/system/system.hpp"

namespace sparsedyn::test {

/// Standard deviations.
struct ArmNoise {
  double encoder = 1e-4;                    // rad
  double torque = 0.3;                      // N·m
  double moment_walk = 3, force_walk = 30;  // N·m/√s, N/√s: how the true wrench walks
};

/// joint_position `encoders`, joint_torque `torques`; no wrench but on `link`.
SensorSet arm_sensors(const std::string& link, const ArmNoise& noise = {});

struct ArmLog {
  double dt = 0;
  std::vector<std::vector<double>> q, v;          // truth: nq, nv of each sample
  std::vector<std::vector<double>> ddq, tau, fx;  // truth: means over the interval that ends there (fx: 6, in the link's frame)
  std::vector<std::vector<double>> readings;      // of each sample: encoders, then torques, in the order of v
};

/// The wrench at a time; null: it walks, constant over each interval.
using WrenchAt = Force<double> (*)(double time);

/// The same seed gives the same log. size: of the motion, rad.
ArmLog push_arm(const Model& model, const std::string& link, int samples, double rate, unsigned seed,
                const ArmNoise& noise = {}, WrenchAt wrench = nullptr, double size = 0.6);

/// The same of an arm that yields: computed torques, held over each interval, drive it back to the smooth motion as springs of
/// `stiffness` (1/s², times the inertia) with critical damping would; between samples Runge and Kutta's fourth order, 4 steps.
ArmLog yielding_arm(const Model& model, const std::string& link, int samples, double rate, unsigned seed, const ArmNoise& noise,
                    WrenchAt wrench, double size, double stiffness);

}  // namespace sparsedyn::test
