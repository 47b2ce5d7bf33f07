// Postures to try programs, orders and counts at, whatever the joints' limits are: what is found at them must hold at every
// state. Stored plans, health and counts follow from the numbers that are drawn, so that neither distribution may change.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "sparsedyn/model/configuration.hpp"

namespace sparsedyn {

/// Angles uniform in ±π, positions uniform in ±1 m, orientations uniform on SO(3). q: nq, written.
void uniform_sample(const Model& model, std::mt19937& rng, double* q);

/// Angles uniform in ±π, positions normal with 0.5 m, orientations uniform on SO(3). nq numbers.
std::vector<double> normal_sample(const Model& model, std::mt19937& rng);

/// Whether all joints but balls and free ones are at multiples of 90°, or of π/2 m.
bool is_right_angled(const Model& model, const double* q);

/// What such a posture is called: "all joints at 90°", "a mix of right angles", "a posture of no special angles".
std::string posture_name(const Model& model, const double* q);

}  // namespace sparsedyn
