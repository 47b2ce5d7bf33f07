// Figures of a tracked base: its way from above, its attitude, and its errors beside a log with their bands of ± 2σ.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "report/figure.hpp"
#include "sparsedyn/tracking/tracked_log.hpp"

namespace sparsedyn::cli {

/// A way of points of which every so many are kept: at most 800.
class KeptWay {
 public:
  void add(double x, double y);
  const std::vector<std::pair<double, double>>& points() const { return points_; }

 private:
  std::vector<std::pair<double, double>> points_;
  long stride_ = 1, count_ = 0;
};

class BaseFigures {
 public:
  /// columns: of the results, of which q.base.* and sd.q.base.* are read. Without them nothing is drawn. channels_beside: that
  /// the page draws over time beside these.
  explicit BaseFigures(const std::vector<std::string>& columns, std::size_t channels_beside = 0);
  static constexpr std::size_t channels = 24;

  /// A row: its time (s), its results (null: none), and where the log says that the base was.
  void add(double time, const double* results, const BaseTruth& truth);
  /// HTML; empty where there is no base.
  std::string html() const;

  bool there() const { return !pose_.empty(); }
  /// Of the last row with results: two deviations of the place along its worst axis (m) and of the yaw (rad); NaN: not known.
  double last_place_reach() const { return place_reach_; }
  double last_yaw_reach() const { return yaw_reach_; }
  /// Components of turns beside the log's, and how many of these lie within two deviations. Places are outputs with columns of
  /// their own.
  long judged() const { return judged_; }
  long covered() const { return covered_; }

 private:
  void add_errors(const double* results, const BaseTruth& truth);
  std::string errors() const;
  std::string attitude() const;

  std::vector<int> pose_, deviations_;  // places in the results: 7 of q.base.*; of x, y, z, rx, ry, rz; empty: none
  report::Thinned rows_;                // roll, pitch, yaw of the estimate and of the log; then error, −2σ, 2σ of six
  std::vector<double> row_;
  KeptWay estimate_, truth_;
  double yaw_ = 0, true_yaw_ = 0;  // unwound so far
  double place_reach_, yaw_reach_;
  long judged_ = 0, covered_ = 0;
};

}  // namespace sparsedyn::cli
