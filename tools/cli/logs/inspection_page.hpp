// A page that shows a log as it is: what was found, ranges against limits, gaps, positions over time, spectra, torques beside
// the model.
#pragma once

#include <string>

#include "sparsedyn/inspection/inspect.hpp"

namespace sparsedyn::cli {

/// `summary`: what the command says. Cost: 60 frequencies times the samples of each position.
std::string inspection_page(const std::string& title, const Model& model, const RecordedLog& log, const Inspection& found,
                            const std::string& summary);

}  // namespace sparsedyn::cli
