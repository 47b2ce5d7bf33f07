// What a sensor set lacks, by its place in the set's file, as other faults of a set are told.
#pragma once

#include <string>

#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/system/system.hpp"
#include "sparsedyn/tracking/tracker.hpp"

namespace sparsedyn::tracking {

/// Throws Untrackable. file: empty where the set comes from no file.
[[noreturn]] inline void refuse_at(const std::string& file, long line, const std::string& element, const std::string& found,
                                   const std::string& expected) {
  if (file.empty()) throw Untrackable(element + ": " + found + "; expected " + expected);
  throw Untrackable(InputError(file, line, element, found, expected).what());
}

/// What the set as a whole lacks, at its first sensor.
[[noreturn]] inline void refuse_set(const System& system, const std::string& found, const std::string& expected) {
  const SensorSet& set = system.sensors();
  refuse_at(set.file, set.sensors.empty() ? 1 : set.sensors.front().line, "sensors", found, expected);
}

}  // namespace sparsedyn::tracking
