// States at which orders are tried: random ones, and the special ones at which numbers vanish that are nonzero elsewhere.
#pragma once

#include <random>
#include <vector>

#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// Angles uniform in ±π, lengths normal with 0.5 m, orientations uniform. nq numbers.
std::vector<double> random_state(const Model& model, std::mt19937& rng);

/// Every coordinate equal to one of 0, π/2, −π/2, π; then `mixed` states with each drawn from these (a spherical joint or a
/// base takes three of them as roll, pitch, yaw). 4 + mixed states of nq numbers.
std::vector<std::vector<double>> special_states(const Model& model, int mixed, std::mt19937& rng);

}  // namespace sparsedyn
