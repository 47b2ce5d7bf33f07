// The gradient of a function of a robot by one reverse sweep, within a recording.
#pragma once

#include <functional>

#include "replayed_program.hpp"

namespace sparsedyn {

/// What `record` records on a recorder of its own, as a program. Its first input are the numbers of the robot that vary around
/// it.
Program recorded_apart(const std::function<void(Recorder&)>& record);
/// Their values here.
std::vector<Expr> varying_values();

/// (∂y/∂x)ᵀ times, for each input x that `record` declares. `record` declares inputs and outputs y on a recorder of their own,
/// in which inputs that are related in the recording around it are independent of each other. Numbers of the robot that vary
/// around it vary in it, too. inputs: the values of x in the recording around; times: for each output. Two to four times the
/// operations of y.
PortValues reverse_sweep(const std::function<void(Recorder&)>& record, const PortValues& inputs, const PortValues& times);

}  // namespace sparsedyn
