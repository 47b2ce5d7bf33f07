// How well all columns of torques fit the model at once, for trials of what the model is made from.
#pragma once

#include <string>
#include <vector>

#include "model_torques.hpp"

namespace sparsedyn::inspection {

/// A column of torques and the freedom that it is of.
struct TorqueColumn {
  std::string name;
  int v;
  Series* values;
};

/// Of each column as it stands: the share of its squares that the fit leaves, and what the model's noise alone makes of it;
/// both 0 for columns without torques.
struct TorqueMisfit {
  std::vector<double> left, noise;
  bool free = true;       // of ModelTorques
  double unmeasured = 0;  // of ModelTorques; 0 on a fixed base
  std::size_t samples = 0;
};

/// Over the model's samples.
TorqueMisfit misfit_of(const ModelTorques& model, const std::vector<TorqueColumn>& columns);

/// Σ log of before's over after's shares, of columns, and of the three forces of a base that either needs; columns that the
/// noise of `before` explains are left out. 1e-4 is the least share that counts.
double gain(const TorqueMisfit& before, const TorqueMisfit& after);

/// Whether a base no longer lacks a wrench, or a column leaves less than a sixth of what it left: small gains of many columns
/// are a poor model's, and mean nothing.
bool mends(const TorqueMisfit& before, const TorqueMisfit& after);

}  // namespace sparsedyn::inspection
