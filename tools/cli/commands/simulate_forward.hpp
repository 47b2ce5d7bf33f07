// simulate --forward and --constraints: the robot let go from a state.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/support/exit_code.hpp"
#include "cli/support/planning.hpp"

namespace sparsedyn::cli {

struct SimulateOptions {
  CommonOptions common;
  RobotOptions robot;
  std::string sensors, output, constraints, plan, from, hold, targets, report, integrator = "semi-implicit";
  std::vector<std::string> packages;  // folders of meshes
  bool no_meshes = false, forward = false, project = false, repeat = false, effort_limits = false;
  double seconds = 10, rate = 250;
  std::uint64_t seed = 1;
};

/// Throws UsageError on a name that is none.
void check_integrator(const std::string& name);

/// Writes the log and the page, says where the energy went and how far loops were open. Throws UsageError, InputError.
ExitCode simulate_forward(const Model& model, const SimulateOptions& options, const PlanFile& plan, long rows);

}  // namespace sparsedyn::cli
