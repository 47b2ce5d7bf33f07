// Rows of logs as what identification reads: motion with torques, or with the readings of a sensor set.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/logs/algorithm_inputs.hpp"
#include "cli/logs/system_inputs.hpp"
#include "sparsedyn/identification/sensor_information.hpp"

namespace sparsedyn::cli {

/// A row of a sample: what was measured (NaN: nothing), and what the robot's file and the fit say of it.
struct ComparedRow {
  int row;  // of RowInformation::names
  double measured, before, after;
};
struct ComparedSample {
  std::size_t log;  // which
  double time;      // s; where the log has none, its row
  const double* v;  // (nv)
  std::vector<ComparedRow> rows;
};

class IdentificationLogs {
 public:
  /// `sensors`: a set's name or file; empty: the torques. Throws as System and SensorInformation do.
  IdentificationLogs(const Model& model, const std::string& sensors);

  /// Without samples yet. This object must outlive it.
  std::unique_ptr<RowInformation> empty() const;
  struct Rows {
    long read = 0, failed = 0;
  };
  /// Adds all rows that can be used; `again`: those that cannot be have been named before.
  Rows read(const std::vector<std::string>& paths, const CommonOptions& common, RowInformation& information, bool again) const;
  /// Reads the logs once more; `before`: π of the robot's file. Cost: two regressors a row.
  void compare(const std::vector<std::string>& paths, const CommonOptions& common, const std::vector<double>& before,
               const Identification& found, const std::function<void(const ComparedSample&)>& use) const;

 private:
  Rows read_log(const std::string& path, const CommonOptions& common, RowInformation& information, bool again) const;
  const Model& model_;
  std::optional<System> system_;
};

}  // namespace sparsedyn::cli
