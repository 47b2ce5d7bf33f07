// A log's columns as the State of a robot.
#pragma once

#include "cli/logs/log_columns.hpp"
#include "cli/support/algorithm.hpp"

namespace sparsedyn::cli {

class AlgorithmInputs {
 public:
  /// Asks the log for what the algorithm reads, multipliers under the prefix `lambda` and the velocities' names. Throws
  /// InputError naming the columns that are missing.
  AlgorithmInputs(const Model& model, const ComputedAlgorithm& algorithm, const std::string& lambda, CsvReader& log,
                  const CommonOptions& common);

  /// Reads the current row; false where it cannot be used, and why() says why.
  bool read();
  const State& state() const { return state_; }
  std::string why() const { return why_; }

 private:
  void need_positions(bool may_be_missing, const CsvReader& log);
  void need_forces(const CommonOptions& common);
  void need_wrenches(CsvReader& log, const CommonOptions& common);
  bool need_more(const ComputedAlgorithm& algorithm, const CsvReader& log, const CommonOptions& common);
  void sum_wrenches();
  bool read_poses();

  const Model& model_;
  LogColumns columns_;
  State state_{};
  std::size_t first_wrench_ = 0;
  std::size_t first_pose_ = 0;
  std::vector<std::string> targets_;
  std::vector<Pose<double>> poses_;                // of each target
  std::vector<int> wrench_links_;                  // links whose wrench is in the log
  std::vector<Force<double>> link_wrenches_, fx_;  // of each link, of each body
  std::string why_;
};

/// Brings the quaternions of q to unit length; false (and the joint's name) where one is zero.
bool normalise_quaternions(const Model& model, double* q, std::string& why);

}  // namespace sparsedyn::cli
