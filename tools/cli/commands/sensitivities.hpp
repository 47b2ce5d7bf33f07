// compute sensitivities: derivatives of what a sensor set gives, as NumPy files.
#pragma once

#include <string>
#include <vector>

#include "cli/support/exit_code.hpp"
#include "cli/support/options.hpp"

namespace sparsedyn::cli {

struct SensitivityOptions {
  CommonOptions common;
  RobotOptions robot;
  std::string sensors, plan, outputs, log, output;
};

/// Writes dx_dq.npy, dx_dv.npy, dx_dy.npy, dx_dp.npy and names.json into the folder `output`. Throws as solve does.
ExitCode sensitivities(const SensitivityOptions& options);
/// Their paths.
std::vector<std::string> sensitivity_files(const std::string& folder);

}  // namespace sparsedyn::cli
