// The walk of footholds that a log supports.
#pragma once

#include <memory>

#include "cli/logs/log_file.hpp"
#include "cli/support/options.hpp"
#include "sparsedyn/tracking/tracked_log.hpp"

namespace sparsedyn::cli {

/// By rows of the whole body on legs, of up to 5000 rows, in half decades from the set's walk.
struct SupportedWalk {
  double walk = 0;      // m/√s: the largest under which the readings are as likely as under any, within 0.5 a row
  double surprise = 0;  // TrackFigures::surprise there, mean of rows
  double stated_walk = 0, stated_surprise = 0;  // the set's widest
};

/// Goes through the log once for each walk, some 3 to 10 times. All contacts are given the same walk. Below what its ground
/// does a smaller walk is hardly less likely, and overconfident: hence the largest.
SupportedWalk supported_walk(const std::shared_ptr<const System>& system, const TrackerOptions& wanted, const LogFile& log,
                             const EvenClock* clock, const CommonOptions& common);

}  // namespace sparsedyn::cli
