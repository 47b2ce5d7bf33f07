// Generated state over time: a step of a Tracker's kinematic rows as one C function.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sparsedyn/codegen/program.hpp"
#include "sparsedyn/tracking/tracker.hpp"

namespace sparsedyn {

/// Options of the generated C.
struct TrackCodeOptions {
  std::string description;                                                       // one line at the top of the files
  bool slip = true;                                                              // as TrackerOptions
  int largest_part = 7500;                                                       // as EmitOptions
  std::vector<std::pair<std::string, std::vector<std::string>>> manifest_lists;  // likewise
};

/// The files, the straight lines' operations, and the lengths of what goes from step to step.
struct TrackCode {
  CProgram files;                  // texts of NAME.c, NAME.h and NAME.json
  OperationCounts feet;            // of the straight lines: where feet are, and how surely
  int state = 0;                   // numbers that go from step to step
  std::vector<std::string> notes;  // sensors that are not used, as Tracker::notes
};

/// NAME(arg, res, iw, w, mem): state, y, dt → next, x: what Tracker::step of kinematic rows makes of a row of readings y
/// (Tracker::inputs()), `next` being handed on as `state`; x: all of q, dq, bias, foot, contact and nis. A state of zeros
/// starts the estimate, at the origin; entries 2 to 21 give the base's start: whether its pose is known, whether its velocity
/// is, rotation (9, row by row), place, ω and v in its axes. No heap, no statics; state and next may be one array. 0; 1 where
/// the row cannot be used (next is state, after a break that of a start at the last place), 2 where no small correction fits
/// the readings (the next row starts anew); x is then not written. Of a floating robot whose gyroscope and accelerometer are on
/// the root link's body. Throws std::invalid_argument for others, link_pose and contacts with a delay; Untrackable as a Tracker
/// does.
TrackCode track_step_code(const std::shared_ptr<const System>& system, const std::string& name,
                          const TrackCodeOptions& options = {});

}  // namespace sparsedyn
