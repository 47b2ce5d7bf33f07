// A fit in words, as the command line prints it.
#pragma once

#include <string>
#include <vector>

#include "cross_validation.hpp"
#include "log_fit.hpp"

namespace sparsedyn {

/// `rows`: names of a sample's rows.
std::string identification_text(const Model& model, const Identification& x, const TorqueErrors& rms,
                                const std::vector<std::string>& rows);
std::string cross_validation_text(const CrossValidation& x, const std::vector<std::string>& rows);

}  // namespace sparsedyn
