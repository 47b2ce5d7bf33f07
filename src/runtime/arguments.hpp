// What Solver, Estimator and Tracker ask of their arguments.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

/// The pointer itself; throws std::invalid_argument where it is null.
template <class T>
std::shared_ptr<T> there(std::shared_ptr<T> pointer, const char* what) {
  if (!pointer) throw std::invalid_argument("no " + std::string(what) + "; expected one");
  return pointer;
}

/// A system of numbers that are a robot's own; throws std::invalid_argument for others: answers would be those of another
/// robot.
inline std::shared_ptr<const System> of_robot(std::shared_ptr<const System> system) {
  if (there(system, "system")->stands_for_inputs())
    throw std::invalid_argument(
        "numbers of the system's robot stand for inputs of a program (system_with_inputs); expected a system of the robot");
  return system;
}

}  // namespace sparsedyn
