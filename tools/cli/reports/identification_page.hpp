// A page of what `identify` found: torques or readings and their errors over time, what is left against velocity and how often
// it is how large, parameters with their deviations.
#pragma once

#include <string>
#include <vector>

#include "cli/logs/identification_log.hpp"

namespace sparsedyn::cli {

/// Keeps at most 800 samples, evenly spread, so that memory does not grow with the logs; counts over all of them.
class IdentificationPage {
 public:
  /// `information`: what was fitted to; `before`: π of the robot's file. All must outlive the page.
  IdentificationPage(RowInformation& information, const std::vector<double>& before, const Identification& found);

  /// Samples of a log follow those of logs before it over time.
  void add(const ComparedSample& sample);
  /// `summary`: what the command says.
  std::string html(const std::string& title, const std::string& summary) const;

 private:
  /// By row of a sample; NaN: nothing. Of a row that gathers several, the root mean square of their errors.
  struct Kept {
    double time;
    std::vector<double> measured, error_before, error_after, velocity;
  };
  Kept gathered(const ComparedSample& sample) const;
  void keep(Kept sample);
  std::string of_row(std::size_t row) const;
  std::string title_of(std::size_t row) const;
  std::string unit_of_row(std::size_t row) const;
  std::string parameter_table() const;
  std::string changes_by_unit(const std::vector<std::string>& names) const;
  std::string findings() const;

  const Model& model_;
  RowInformation& information_;
  int gathers_;    // SensorInformation::gathered
  bool readings_;  // of a sensor set
  const std::vector<double>& before_;
  const Identification& found_;
  std::vector<Kept> kept_;
  std::vector<std::vector<long>> counts_;  // by row and bin
  struct Sums {                            // over all samples
    long count = 0;
    double measured = 0, squares = 0, before = 0, after = 0;  // the last three of squares
  };
  std::vector<Sums> sums_;  // by row
  long samples_ = 0, stride_ = 1;
  std::size_t log_ = 0;
  double shift_ = 0, last_ = 0;
};

}  // namespace sparsedyn::cli
