// Which combinations of parameters the torques can tell apart (Gautier & Khalil 1990): the columns of the regressor are
// dependent, as functions of the motion, and some are zero.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/dynamics/regressor.hpp"

namespace sparsedyn {

/// Y π = Y_base β with β_k = π_independent[k] + Σ_d share[d][k] π_dependent[d].
struct BaseParameters {
  std::vector<int> independent;            // parameters, as many as Y has independent columns
  std::vector<int> dependent;              // the others, those without any effect included
  std::vector<std::vector<double>> share;  // by dependent parameter: how it enters each base parameter

  /// β of a π.
  std::vector<double> values(const std::vector<double>& pi) const;
  /// `NAME + 0.5*NAME - …` of base parameter k.
  std::string expression(int k, const std::vector<std::string>& names) const;
};

/// Of the parameters `which` (others do not enter), found at random states by rank; those that come first in π are independent
/// first, so that a link's numbers gather what the links beyond it cannot show. `freedom`: of that torque alone; -1: of all.
/// Offline: O(count³).
BaseParameters base_parameters(const Model& model, const std::vector<int>& which, int freedom = -1);

}  // namespace sparsedyn
