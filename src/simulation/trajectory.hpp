// Smooth motion of a whole robot: sums of sines, so that q, its velocity and its acceleration are exact and consistent.
#pragma once

#include <array>
#include <vector>

#include "scalar/random.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// A smooth function of time: offset + Σ amplitude sin(rate t + phase).
struct SmoothCurve {
  struct Wave {
    double amplitude, rate, phase;
  };
  double offset = 0;
  std::array<Wave, 3> waves{};
};

Jet at(const SmoothCurve& curve, double t);

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

}  // namespace sparsedyn
