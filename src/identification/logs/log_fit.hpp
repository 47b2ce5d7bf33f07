// A fit to logs with their errors before and after it, less the rows of a base that were computed and not measured.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sparsedyn/identification/identify.hpp"

namespace sparsedyn {

/// Samples that were read once, and how they are read again.
struct ReadLogs {
  RowInformation& information;
  std::function<void()> read_again;  // adds all samples
  std::string name;                  // in warnings
};

/// The first row of a sample that was measured, but no more often than it has parameters; -1: none.
int row_with_too_few_samples(RowInformation& information);

/// An error in words; NaN: `not measured`.
std::string three_digits(double x);

/// Root of the mean squared difference between the torques of the logs and those that π gives, by freedom; NaN:
/// not measured.
std::vector<double> torque_rms(RowInformation& information, const std::vector<double>& pi);

/// The four columns of torques' errors: of the robot's file and of the fit, in the logs and in those held out.
struct TorqueErrors {
  std::vector<double> before, after, holdout_before, holdout_after;
};

struct LogFit {
  Identification found;
  TorqueErrors rms;
  std::vector<std::string> warnings;
};

/// `held`: what is not fitted to, or null. Both are left as the last pass made them. Throws as identify_by_passes does.
LogFit fit_logs(const ReadLogs& logs, const ReadLogs* held, const PassOptions& options);

}  // namespace sparsedyn
