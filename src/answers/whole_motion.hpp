// Where a robot is and how fast it moves as a whole: no sensor on it tells, and most quantities do not depend on it.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/answers/sensor_solver.hpp"

namespace sparsedyn {

/// Where a log lacks columns.
struct WholeMotionLog {
  std::string name;                    // for messages
  long header_line = 0;                // likewise; 0: it has no lines
  bool innovations_are_drawn = false;  // and not written: a page does without them
};

/// What is said of it.
struct WholeMotionWords {
  std::string note;  // empty: nothing is lacking
  std::vector<std::string> warnings;
};

/// Where a log lacks some of these columns (`absent`): says that they are taken as zero, and returns a solver for what does not
/// depend on them, which is `solver` or a new one. Throws InputError where the user asked for what does, and what the
/// constructor of SensorSolver throws.
SensorSolver without_whole_motion(SensorSolver solver, const std::vector<std::string>& absent, const WholeMotionLog& log,
                                  WholeMotionWords& words);

}  // namespace sparsedyn
