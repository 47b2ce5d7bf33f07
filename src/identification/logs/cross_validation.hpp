// Each log in its turn left out of the fit, and compared with what the others say.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sparsedyn/identification/identify.hpp"

namespace sparsedyn {

/// One log: its name, and what adds its samples to rows that are empty or begun.
struct SeparateLog {
  std::string name;
  std::function<void(RowInformation&)> read;
};

struct CrossValidation {
  std::vector<std::string> logs;            // their names
  std::vector<std::vector<double>> by_log;  // by row of a sample: rms of what the fit to the others leaves; NaN: not measured
  std::vector<double> rms;                  // the same over the rows of all logs
  std::vector<std::string> warnings;
};

/// `empty`: rows without samples. Memory: two sets of triangles and one a log. Each log is read once, and again for each pass
/// of the fits that others make. Throws InputError, with the log's name, where the others have too few rows.
CrossValidation cross_validate(const std::vector<SeparateLog>& logs,
                               const std::function<std::unique_ptr<RowInformation>()>& empty, const PassOptions& options);

}  // namespace sparsedyn
