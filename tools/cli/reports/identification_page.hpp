// A page of what `identify` found: torques and their errors by joint, what is left against velocity and how often it is how
// large, parameters with their deviations.
#pragma once

#include <string>
#include <vector>

#include "cli/algorithms/algorithm.hpp"
#include "sparsedyn/identification/identify.hpp"

namespace sparsedyn::cli {

/// Keeps at most 800 samples, evenly spread, so that memory does not grow with the logs; counts over all of them.
class IdentificationPage {
 public:
  /// `before`: π of the robot's file; `fitted`: the robot with_smoothing. All must outlive the page.
  IdentificationPage(const Model& model, const Model& fitted, const std::vector<double>& before, const Identification& found);

  /// A sample, and when it was taken (s); it follows those of logs before it.
  void add(const State& sample, double time);
  /// The next samples are of another log.
  void next_log() { new_log_ = true; }
  /// `summary`: what the command says.
  std::string html(const std::string& title, const std::string& summary) const;

 private:
  struct Kept {
    double time;
    std::vector<double> measured, before, after, velocity;  // by freedom
  };
  void torques(const Model& model, const State& sample, const std::vector<double>& pi, std::vector<double>& tau);
  void keep(const State& sample, double time);
  std::string of_torque(std::size_t freedom, const std::string& name) const;
  std::string parameter_table() const;

  const Model &model_, &fitted_;
  const std::vector<double>& before_;
  const Identification& found_;
  RegressorWorkspace<double> work_;
  std::vector<double> tau_before_, tau_after_, with_, without_;
  std::vector<Kept> kept_;
  std::vector<std::vector<long>> counts_;  // by freedom and bin
  long samples_ = 0, stride_ = 1;
  double shift_ = 0, last_ = 0;
  bool new_log_ = false;
};

}  // namespace sparsedyn::cli
