// A log under inspection: its columns as they are corrected on the way, and what was found so far.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "series.hpp"
#include "sparsedyn/inspection/inspect.hpp"

namespace sparsedyn::inspection {

/// A joint of one freedom, which the tests of single columns are about.
struct SingleJoint {
  std::string name;
  int q, v;    // its entries
  bool angle;  // else a length
  JointLimits limits;
};

struct Examination {
  Examination(const Model& robot, const RecordedLog& recorded, const System* sensors);

  const Model& model;
  const RecordedLog& log;
  const System* system;
  std::vector<SingleJoint> joints;

  // Samples: the log's rows, or an even grid between them.
  std::vector<Series> values;               // of each column that is kept (slot)
  std::vector<double> row_of_sample;        // which row of the log a sample is
  std::vector<std::size_t> places_of_rows;  // samples that are rows, where others lie between; else empty
  bool timed = false;                       // whether steps are known; else step = 1
  double step = 1;                          // s
  double holes = 0;                         // rows that are missing
  double time_unit = 1;                     // of the times, in a second: 1000 where they are ms
  double duration = 0;                      // from the first time to the last, in their unit
  Series row_times;                         // of each row since the first, in their unit; empty where they cannot be used
  bool resampled = false;                   // samples lie between rows

  /// The column's numbers; nullptr where the log has none, or none is a number.
  Series* column(const std::string& name);
  std::size_t samples() const { return row_of_sample.size(); }
  /// The samples that are rows of the log, without those between rows.
  Series at_rows(const Series& column) const;
  /// When a sample was taken (s), since the first.
  double time_of(std::size_t sample) const;
  bool has_base() const { return model.floating(); }
  /// All of them, in the order given; empty where one is missing.
  std::vector<Series*> columns(const std::string& prefix, const std::vector<std::string>& components);

  void add(FindingKind kind, Severity severity, std::vector<std::string> columns, std::string evidence, std::string likely,
           std::string remedy, double first_sample = -1, double last_sample = -1);
  /// Notes columns of the log, or none, as not judged.
  void unjudged(std::vector<std::string> columns, const std::string& why);
  /// The log's columns that begin so.
  std::vector<std::string> names_with(const std::string& prefix) const;
  long line_of(double sample) const;
  long line_of_row(std::size_t row) const { return log.lines.empty() ? static_cast<long>(row) + 1 : log.lines[row]; }

  Inspection result;
  bool positions_doubtful = false;             // what follows from them is not compared
  std::vector<std::string> far_beyond_limits;  // positions, by more than a tenth of their range
  std::vector<std::string> misspelt;           // columns that the log may have under another name
  std::vector<std::string> unplaced;           // joints that are not at the log's positions: it lacks them, or they are held
  std::set<std::string> flags;                 // columns that say whether a contact stands

 private:
  std::map<std::string, std::size_t> slot_;
};

/// A number as messages show it.
std::string shown(double x);

/// Findings of one kind with the same words about them become one, with all columns; then the worst come first.
void settle_findings(std::vector<Finding>& findings);

}  // namespace sparsedyn::inspection
