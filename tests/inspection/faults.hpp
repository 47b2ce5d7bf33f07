// Faults that are put into logs, by their sizes.
#pragma once

#include <functional>

#include "inspection/made_logs.hpp"

namespace sparsedyn::test {

struct Fault {
  std::string name, size;  // what is done
  FindingKind kind;        // what should be found
  bool base, feet;         // only on floating robots; only on robots with feet
  /// Returns the columns of which the finding should name at least one.
  std::function<std::vector<std::string>(RecordedLog& log, const SensedRobot& robot, std::mt19937& rng)> put;
};

const std::vector<Fault>& all_faults();

/// The first of this kind that names one of the columns; its place among the findings, or -1.
int place_of(const Inspection& found, FindingKind kind, const std::vector<std::string>& columns);

}  // namespace sparsedyn::test
