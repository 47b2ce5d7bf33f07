// The first sentences of a page of an estimate: what is wrong with the readings, or that nothing is, and how far it is to be
// trusted.
#pragma once

#include <functional>
#include <string>

#include "cli/support/json_text.hpp"

namespace sparsedyn::cli {

/// From what `solve --json` says: faults of single readings with the time at which each begins, chi-square beside what the
/// noise makes expected, sensors whose innovations the noise does not explain, worst first. HTML, one sentence after the other.
/// `time_of_line`: s of a line of the log, or empty where the log has no time.
std::string estimate_findings(const Json& details, const std::function<std::string(long)>& time_of_line);

}  // namespace sparsedyn::cli
