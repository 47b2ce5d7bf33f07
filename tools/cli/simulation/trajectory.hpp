// Smooth motion of a whole robot: sums of sines, so that q, its velocity and its acceleration are exact and consistent.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sparsedyn/model/model.hpp"

namespace sparsedyn::cli {

/// A smooth function of time: offset + Σ amplitude sin(rate t + phase).
struct SmoothCurve {
  struct ForceColumn {
    double amplitude, rate, phase;
  };
  double offset = 0;
  std::array<ForceColumn, 3> waves{};
};

Jet at(const SmoothCurve& curve, double t);

/// Uniform random numbers that are the same on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed);
  double uniform(double low, double high);
  double normal();

 private:
  std::uint64_t next();
  std::uint64_t state_;
};

/// A curve about zero that stays within ±size, its waves between 0.1 and 0.6 Hz.
SmoothCurve random_curve(Random& random, double size);

class Trajectory {
 public:
  /// Revolute joints move within ±0.9 rad, prismatic ones and bases within ±0.15 m.
  Trajectory(const Model& model, Random& random);

  /// Writes q (nq), v (nv) and a = v-dot (nv) at time t (s). Orientations are roll, pitch and yaw curves.
  void evaluate(double t, double* q, double* v, double* a) const;

 private:
  const Model& model_;
  std::vector<std::vector<SmoothCurve>> curves_;  // of each body: as many as it has freedoms
};

}  // namespace sparsedyn::cli
