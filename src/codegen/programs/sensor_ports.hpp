// Inputs and outputs that all programs of a sensor set share.
#pragma once

#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/codegen/recorder.hpp"

namespace sparsedyn {

struct SensorInputs {
  std::vector<Expr> q, v, y;  // y: all of System::inputs()
};
SensorInputs sensor_inputs(Recorder& recorder, const System& system, const ReadInputs& read);

/// One output vector for each kind, in the order in which kinds first appear among the columns.
void output_by_kind(Recorder& recorder, const std::vector<std::string>& columns, const std::vector<Expr>& values);

}  // namespace sparsedyn
