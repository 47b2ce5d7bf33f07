// A sensor set as a program: what the asked-for outputs are, from q, dq and the sensors' readings y.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/codegen/program.hpp"
#include "sparsedyn/sparse/plan.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

/// Which entries of System::inputs() the program reads. Others are constants: their fallbacks.
using ReadInputs = std::vector<bool>;
/// Those that a log must have.
ReadInputs required_inputs(const System& system);

/// Inputs q, dq and y (the entries read, by the log column of joint or link where there is one, else by `y.SENSOR…`); outputs
/// one vector for each kind asked for (tau, ddq, acc, f, fx), named by columns. `outputs` as Outputs takes them. Assembly,
/// elimination in the plan's order and substitution, recorded. Throws UnknownOutput, std::domain_error where a pivot is zero at
/// every state.
Program sensor_program(const System& system, const Plan& plan, const std::vector<std::string>& outputs, const ReadInputs& read);

/// Whether inverse or forward dynamics is all that is asked for: every wrench on a link is known exactly, and either every
/// joint acceleration with outputs tau, or every joint torque with outputs ddq.
bool is_plain_dynamics(const System& system, const std::vector<std::string>& outputs);

/// The same program by the leanest recursive formulation. Throws std::invalid_argument unless is_plain_dynamics.
Program plain_dynamics_program(const System& system, const std::vector<std::string>& outputs, const ReadInputs& read);

}  // namespace sparsedyn
