// The first sentences of `track`'s page: what is wrong, and what can be trusted.
#pragma once

#include <string>

#include "base_figures.hpp"
#include "cli/support/json_text.hpp"
#include "standing_feet.hpp"

namespace sparsedyn::cli {

struct TrackFindings {
  const Json& details;  // of the command: errors, drift, consistency, slips, unobservable
  const BaseFigures& base;
  const StandingFeet& feet;
  long failed, first_failed_line;
  long judged, covered;  // values beside the log's, and those within two deviations
};

/// HTML.
std::string track_findings(const std::string& robot, const TrackFindings& found);

}  // namespace sparsedyn::cli
